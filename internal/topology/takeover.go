package topology

import "fmt"

// takeOver promotes the best replica of a primary without a vote, where too few
// primaries are left for one. It needs more than a vote does: the old primary
// must be fenced, or a human must vouch for its end, because it may still serve
// others who see it (N11). One shard at a time, and only with all that the others
// agreed on in mind, so that no two of them choose the same epoch.
func takeOver(p *pass) {
	for _, s := range p.shards {
		id := p.orphaned(s)
		best := p.heir(id, true, anyReplica)
		if best == nil || p.canVote(best) {
			continue
		}
		why := p.fenced(id)
		if why == "" && p.want.Vouched && p.heir(id, false, anyReplica) == best {
			why = "a human vouches that its primary is dead"
		}
		if why == "" {
			p.askHuman(s, id, best)
			continue
		}
		if !p.upToDate(best) {
			p.waitToHear(best)
			return
		}
		p.act(TakeOver{
			Why: Why{ReasonTakingOver, fmt.Sprintf("%s, and too few primaries are left to vote; %s takes shard %d over",
				why, best.Name, s.index), s.index},
			Target: best.target(),
		})
		return
	}
}

func anyReplica(*pass, *member) bool { return true }

// electorate is how many primaries have a vote, and how many of them answer.
type electorate struct{ answering, all int }

// electorate returns those that have a vote in m's eyes.
func (p *pass) electorate(m *member) electorate {
	view := m.Server.View
	if e, counted := p.electorates[view]; counted {
		return e
	}
	var e electorate
	for _, peer := range view.Peers {
		if peer.Role != RolePrimary || peer.Slots.IsEmpty() {
			continue
		}
		e.all++
		if voter := p.byID[peer.ID]; voter != nil && voter.ownsSlots() {
			e.answering++
		}
	}
	p.electorates[view] = e
	return e
}

// canVote reports whether a majority of the primaries that m knows answers.
func (p *pass) canVote(m *member) bool {
	e := p.electorate(m)
	return e.answering > e.all/2
}

// fenced says why it is certain that server id can do no harm any more; "" when
// it is not.
func (p *pass) fenced(id NodeID) string {
	m := p.last[id]
	switch {
	case m == nil:
		return ""
	case m.Fenced != "":
		return fmt.Sprintf("the server of %s is dead: %s", m.Name, m.Fenced)
	case m.lost() && m.Pod != nil && m.Pod.UID == m.Last.Pod:
		return fmt.Sprintf("the server of %s was started again, without its nodes.conf, in the same pod", m.Name)
	}
	return ""
}

// askHuman says what only a human can find out, unless the primary is just
// being started.
func (p *pass) askHuman(s shard, id NodeID, best *member) {
	who := fmt.Sprintf("primary %s", id)
	if m := p.last[id]; m != nil {
		if m.starting() {
			return
		}
		who = fmt.Sprintf("primary %s", m.Name)
		if m.Last.Machine != "" {
			who += " on machine " + m.Last.Machine
		}
	}
	if p.want.Vouched {
		p.wait(ReasonMajorityLost, s.index, fmt.Sprintf(
			"%s of shard %d does not answer; a human vouches for its end, and its replicas take over once they have lost their connection to it",
			who, s.index))
		return
	}
	voters := p.electorate(best)
	p.wait(ReasonMajorityLost, s.index, fmt.Sprintf(
		"%s of shard %d does not answer, and %d of %d primaries are too few to vote for its replica %s; "+
			"it may be alive and serve those who still reach it; if its machine is down, taint the machine with "+
			"node.kubernetes.io/out-of-service, or delete its Node object; "+
			"if you know otherwise that all silent primaries are dead, annotate this cluster with valkey.io/takeover-unfenced=true",
		who, s.index, voters.answering, voters.all, best.Name))
}

// starting reports whether m's pod is on a machine and nothing listens in it
// yet.
func (m *member) starting() bool {
	return m.Pod != nil && m.Pod.Machine != "" && !m.Pod.Terminating && (m.Refused || !m.Pod.Addr.IsValid())
}
