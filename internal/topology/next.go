package topology

// rule proposes actions and blocks for one concern.
type rule struct {
	name  string
	apply func(*pass)
}

// rules in order of precedence. A shard that a rule has acted on or that is
// blocked is not disrupted by later rules; rules that only add redundancy or
// repair do not look at that.
var rules = []rule{
	{"create", create},
	{"replace-stopped", replaceStopped},
	{"fail-over", failOver},
	{"take-over", takeOver},
	{"reclaim", reclaim},
	{"epochs", epochs},
	{"found", found},
	{"meet", meet},
	{"replicate", replicate},
	{"raise", raise},
	{"node-timeout", nodeTimeout},
	{"forget", forget},
	{"unsettled", unsettled},
	{"release", release},
	{"roll", roll},
	{"leftover", leftover},
}

// Next returns the next safe batch of actions towards want. It is
// deterministic: equal arguments give equal plans.
func Next(want Desired, seen Observed) Plan { return next(rules, want, seen) }

func next(rules []rule, want Desired, seen Observed) Plan {
	p := &pass{world: newWorld(want, seen), held: map[int]bool{}, sick: map[int]bool{}, said: map[Blocked]bool{}}
	for _, r := range rules {
		r.apply(p)
	}
	return p.plan
}

// pass is one run of the rules.
type pass struct {
	*world
	plan Plan
	// held are the shards that this pass acts on or that are blocked. Nothing
	// is disrupted while there is any (N6).
	held map[int]bool
	// sick are the shards that something is wrong with that no disruption of
	// ours has to do with. Only they are held back by it (A5).
	sick map[int]bool
	// said are the blocks of the plan so far.
	said map[Blocked]bool
}

func (p *pass) act(a Action) {
	p.plan.Actions = append(p.plan.Actions, a)
	p.held[a.Explain().Shard] = true
}

func (p *pass) block(b Blocked) {
	p.say(b)
	p.held[b.Shard] = true
}

// say adds b to the plan. It holds nothing back.
func (p *pass) say(b Blocked) {
	p.plan.Blocked = append(p.plan.Blocked, b)
	p.said[b] = true
}

func (p *pass) wait(reason Reason, shard int, message string) {
	p.block(Blocked{Why: Why{Reason: reason, Message: message, Shard: shard}})
}

// blockOnce is block for what several pairs of servers have in common.
func (p *pass) blockOnce(b Blocked) {
	if !p.said[b] {
		p.block(b)
	}
}

func (p *pass) waitOnce(reason Reason, shard int, message string) {
	p.blockOnce(Blocked{Why: Why{Reason: reason, Message: message, Shard: shard}})
}

// mayDisrupt reports whether one disruption of the shard may begin: nothing of
// ours is going on in the cluster (N6), and the shard is well.
func (p *pass) mayDisrupt(shard int) bool { return len(p.held) == 0 && !p.sick[shard] }
