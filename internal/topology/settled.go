package topology

import (
	"fmt"
	"slices"

	"github.com/valkey-operator/valkey-operator/internal/slots"
)

// unsettled says what is not yet as it should be and can only be waited for.
// Each such thing keeps disruptions away from its shard or from the cluster
// (N6), and keeps the status from saying Ready (A6).
func unsettled(p *pass) {
	p.tellTwins()
	for _, s := range p.shards {
		p.ownership(s)
		for _, m := range s.members {
			if m.wanted && !m.Deleting {
				p.settle(s, m)
			}
		}
	}
	p.lostSlots()
	p.failedAndBack()
	p.unheard()
}

// unheard says which server has not heard yet what another one owns. Clients
// that ask it are told that nobody serves those slots, or sent to the wrong
// server.
func (p *pass) unheard() {
	wrong := map[*View]*member{}
	for _, m := range p.members {
		if m.Server == nil || !m.wanted || m.Server.View == nil {
			continue
		}
		owner, done := wrong[m.Server.View]
		if !done {
			owner = p.misjudged(m.Server.View)
			wrong[m.Server.View] = owner
		}
		if owner != nil {
			p.ail(m, ReasonWaitServing, fmt.Sprintf("%s has not heard yet which slots %s owns", m.Name, owner.Name))
		}
	}
}

// failedAndBack says which member answers while others still hold it for
// failed. They take that back by themselves, a primary after twice the node
// timeout.
func (p *pass) failedAndBack() {
	failed := p.failed()
	for _, m := range p.members {
		if m.Server != nil && m.wanted && failed[m.Server.ID] {
			p.ail(m, ReasonWaitServing, fmt.Sprintf("%s answers again and is not yet believed by all others", m.Name))
		}
	}
}

// failed returns the IDs of the servers that anybody holds for failed.
func (w *world) failed() map[NodeID]bool {
	failed := map[NodeID]bool{}
	for _, v := range w.views {
		for i := range v.Peers {
			if v.Peers[i].Failed {
				failed[v.Peers[i].ID] = true
			}
		}
	}
	return failed
}

func (p *pass) ownership(s shard) {
	owners := s.owners()
	if len(owners) < 2 {
		return
	}
	p.wait(ReasonSlotsDisputed, s.index, fmt.Sprintf(
		"%s and %s of shard %d both own slots", owners[0].Name, owners[1].Name, s.index))
}

func (p *pass) settle(s shard, m *member) {
	switch {
	case m.Pod == nil:
		p.ail(m, ReasonWaitPods, fmt.Sprintf("%s has no pod yet", m.Name))
	case m.Pod.Terminating:
		p.ail(m, ReasonWaitPods, fmt.Sprintf("the pod of %s is terminating", m.Name))
	case m.Server == nil:
		p.ail(m, ReasonWaitServers, fmt.Sprintf("the server of %s does not answer: %s", m.Name, m.Unknown))
	case m.Server.Loading:
		p.ail(m, ReasonSyncing, fmt.Sprintf("%s is loading its data", m.Name))
	case m.Server.Role == RoleReplica && !m.Server.InSync():
		p.ail(m, ReasonSyncing, fmt.Sprintf("%s is not in sync with its primary", m.Name))
	case m.Server.Role == RoleReplica && !p.electable(m):
		p.ail(m, ReasonSyncing, p.unelectable(m))
	case m.Server.Role == RolePrimary && s.primary() != nil && m != s.primary():
		p.ail(m, ReasonReplicating, fmt.Sprintf("%s is to become a replica of %s", m.Name, s.primary().Name))
	case m.Server.Role == RolePrimary && m.Server.Slots.IsEmpty():
		p.ail(m, ReasonForming, fmt.Sprintf("%s owns no slots yet", m.Name))
	case !m.Server.Serving:
		p.ail(m, ReasonWaitServing, fmt.Sprintf("the cluster state of %s is not ok yet", m.Name))
	case !m.Pod.Ready:
		p.ail(m, ReasonWaitPods, fmt.Sprintf("the pod of %s is not ready", m.Name))
	}
}

// ail says what is wrong with m. If that may be our doing, or the template's, the
// whole cluster waits; otherwise only m's shard does (A5).
func (p *pass) ail(m *member, reason Reason, message string) {
	b := Blocked{Why: Why{Reason: reason, Message: message, Shard: m.Shard}}
	if s := p.shardOf(m.Shard); s != nil && !s.disturbed(p.want.Inputs) {
		p.say(b)
		p.sick[m.Shard] = true
		return
	}
	p.block(b)
}

// disturbed reports whether we have a hand in what happens to s: the roll has
// reached it, also when all that shows of it is a hand-over, or a pod is on its
// way from one template to another.
func (s shard) disturbed(inputs string) bool {
	return slices.ContainsFunc(s.members, func(m *member) bool {
		return m.Template == inputs || m.Pod == nil || m.Pod.Template != m.Template
	})
}

// electable reports whether m would get the vote of every primary that answers.
func (p *pass) electable(m *member) bool { return p.unelectable(m) == "" }

// unelectable says which primary that answers does not know m as the replica
// that it is, or has no connection to give its vote on; "" if all do and have. A
// replica that asks too early gets the votes of some, and on 8.0 asks again only
// after four node timeouts.
func (p *pass) unelectable(m *member) string {
	for _, v := range p.votes {
		voter := p.voters[v]
		switch peer, known := v.Peer(m.Server.ID); {
		case !known:
			return fmt.Sprintf("%s does not know %s yet", voter, m.Name)
		case peer.Unlinked:
			return fmt.Sprintf("%s has no connection to %s yet", voter, m.Name)
		case peer.Role != RoleReplica || peer.Primary != m.Server.Primary:
			return fmt.Sprintf("%s has not heard yet which primary %s replicates", voter, m.Name)
		}
	}
	return ""
}

// served returns the slots whose owner answers and serves.
func (w *world) served() slots.Set {
	var ranges []slots.Range
	for _, m := range w.members {
		if m.ownsSlots() {
			ranges = append(ranges, m.Server.Slots.Ranges()...)
		}
	}
	return slots.Of(ranges...)
}
