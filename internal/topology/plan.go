package topology

// Plan is the next safe batch. Its actions do not depend on each other and may
// run at the same time; whatever must come after them is in a later plan.
type Plan struct {
	Actions []Action
	// Blocked is what the planner would do if it could, or waits for.
	Blocked []Blocked
}

// Done reports whether there is nothing to do and nothing to wait for.
func (p Plan) Done() bool { return len(p.Actions) == 0 && len(p.Blocked) == 0 }

// Reason is one word for an action or a block; it is shown to users.
type Reason string

// Why explains an action or a block.
type Why struct {
	Reason Reason
	// Message is one sentence for a human, without a full stop.
	Message string
	// Shard is the index of the shard that it is about, or [WholeCluster].
	Shard int
}

// WholeCluster is the Shard of what touches all of them.
const WholeCluster = -1

// Blocked is something that cannot be done yet.
type Blocked struct {
	Why
	// Human is true when it stays blocked until a human acts; the message says
	// how.
	Human bool
}
