package valkeysim

import (
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// election is a replica's attempt to become primary.
type election struct {
	at    instant // when votes are asked for; 0 is no attempt yet
	sent  bool
	rank  int
	epoch uint64
	votes map[valkey.NodeID]bool
}

func (e *election) reset() { *e = election{} }

const validityFactor = 10 // cluster-replica-validity-factor

// wakeElection lets a replica react to a verdict without waiting for a tick.
func (p *process) wakeElection() { p.electionCron() }

// electionCron does what a replica whose primary failed has to do now.
func (p *process) electionCron() {
	primary := p.shardOf(p.self)
	manual := p.manual.mayStart(p)
	if !p.self.replica || primary == nil || primary.slots.IsEmpty() || !primary.failed && !manual || !manual && p.tooOld() {
		return
	}
	timeout := max(2*p.nodeTimeout, 2*time.Second)
	e := &p.election
	if e.at == 0 || p.now()-e.at > 2*timeout {
		p.planElection(manual)
		if !manual {
			return
		}
	}
	if !e.sent && !manual {
		if rank := p.rank(); rank > e.rank {
			e.at += time.Duration(rank-e.rank) * p.scaled(time.Second)
			e.rank = rank
		}
	}
	switch {
	case p.now() < e.at || p.now()-e.at > timeout:
	case !e.sent:
		p.askForVotes(manual)
	default:
		p.countWin(primary)
	}
}

// planElection sets the time of the next attempt (facts 2).
func (p *process) planElection(manual bool) {
	p.election = election{at: p.now(), votes: map[valkey.NodeID]bool{}}
	if manual {
		return
	}
	half := p.scaled(500 * time.Millisecond)
	p.election.rank = p.rank()
	p.election.at += half + time.Duration(p.server.chance.Int64N(int64(half)+1)) +
		time.Duration(p.election.rank)*p.scaled(time.Second)
}

// scaled is a delay of elections: from 9.0 on they are shorter with short node
// timeouts.
func (p *process) scaled(d time.Duration) time.Duration {
	if !p.server.version.AtLeast(9, 0) {
		return d
	}
	return min(d, d*p.nodeTimeout/(15*time.Second)) //nolint:durationcheck // in proportion to the default
}

// rank is how many replicas of the same primary have more data.
func (p *process) rank() int {
	rank := 0
	for _, n := range p.nodes {
		if n != p.self && n.replica && n.primary == p.self.primary && !n.failed && n.offset > p.stream.offset {
			rank++
		}
	}
	return rank
}

// tooOld reports whether the link to the primary has been down for so long that
// an election is out of the question; a link that never was up is that.
func (p *process) tooOld() bool {
	age := p.link.age(p.now())
	return age-p.nodeTimeout > 10*time.Second+validityFactor*p.nodeTimeout
}

func (p *process) askForVotes(manual bool) {
	p.currentEpoch++
	p.election.epoch, p.election.sent = p.currentEpoch, true
	pk := p.packet(voteRequest)
	pk.forced = manual
	p.broadcast(pk)
}

func (p *process) countVote(sender *node, pk packet) {
	if sender.votes() && p.election.sent && pk.currentEpoch >= p.election.epoch {
		p.election.votes[sender.id] = true
		p.electionCron()
	}
}

func (p *process) countWin(primary *node) {
	if len(p.election.votes) < p.quorum() {
		return
	}
	p.self.epoch = max(p.self.epoch, p.election.epoch)
	p.promote(primary)
}

// considerVote votes for the sender if it may (facts 2, 7): once in each epoch,
// and never for somebody whose view of the slots is old.
func (p *process) considerVote(sender *node, pk packet) {
	primary := p.shardOf(sender)
	switch {
	case !p.self.votes() || pk.currentEpoch < p.currentEpoch || p.lastVote == p.currentEpoch:
		return
	case !sender.replica || primary == nil || !primary.failed && !pk.forced:
		return
	case p.repeats(primary) || p.disagrees(primary, pk.epoch, pk.slots):
		return
	}
	p.lastVote = p.currentEpoch
	primary.voted = p.now()
	p.send(sender, p.packet(vote))
}

// repeats reports whether there was a vote about that primary within two node
// timeouts, which 8.0 refuses (facts 2).
func (p *process) repeats(primary *node) bool {
	return !p.server.version.AtLeast(8, 1) && primary.voted != 0 && p.now()-primary.voted < 2*p.nodeTimeout
}

func (p *process) disagrees(primary *node, epoch uint64, claimed slots.Set) bool {
	for _, n := range p.nodes {
		if n != primary && n.epoch > epoch && !n.slots.Intersect(claimed).IsEmpty() {
			return true
		}
	}
	return primary.epoch > epoch
}
