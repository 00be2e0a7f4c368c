package valkeysim

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
)

// cluster carries out CLUSTER and its subcommands (facts 1, 2, 5).
func (p *process) cluster(sub string, args []string) valkey.Reply {
	switch sub {
	case "MYID":
		return valkey.TextReply(string(p.self.id))
	case "NODES":
		return valkey.TextReply(p.view().String())
	case "INFO":
		return valkey.TextReply(p.clusterInfo())
	case "MEET":
		return done(p.meetCommand(args))
	case "ADDSLOTSRANGE":
		return done(p.addSlots(args))
	case "DELSLOTSRANGE":
		return done(p.delSlots(args))
	case "SET-CONFIG-EPOCH":
		return done(p.setEpoch(args))
	case "BUMPEPOCH":
		return p.bumpEpoch()
	case "REPLICATE":
		return done(p.replicate(valkey.NodeID(args[0])))
	case "FORGET":
		return done(p.forget(valkey.NodeID(args[0])))
	case "COUNTKEYSINSLOT":
		return p.countKeys(args)
	case "FAILOVER":
		return done(p.failover(strings.ToUpper(strings.Join(args, " "))))
	case "RESET":
		return done(p.reset(len(args) > 0 && strings.EqualFold(args[0], "HARD")))
	}
	return refusal(fmt.Sprintf("ERR unknown subcommand '%s'. Try CLUSTER HELP.", sub))
}

func (p *process) countKeys(args []string) valkey.Reply {
	slot, err := strconv.ParseUint(args[0], 10, 16)
	if err != nil || slot >= slots.Total {
		return refusal("ERR Invalid slot")
	}
	count := int64(0)
	for key := range p.stream.keys {
		if slots.KeySlot(key) == slots.Slot(slot) {
			count++
		}
	}
	return valkey.IntReply(count)
}

func (p *process) meetCommand(args []string) error {
	ip, err := netip.ParseAddr(args[0])
	if err != nil {
		return refuse(fmt.Sprintf("ERR Invalid node address specified: %s:%s", args[0], args[1]))
	}
	port, err := strconv.ParseUint(args[1], 10, 16)
	if err != nil {
		return refuse("ERR Invalid base port specified: " + args[1])
	}
	p.handshakeWith(netip.AddrPortFrom(ip, uint16(port)))
	return nil
}

func (p *process) addSlots(args []string) error {
	set, err := parseRanges(args)
	if err != nil {
		return err
	}
	for _, n := range p.nodes {
		if busy := n.slots.Intersect(set); !busy.IsEmpty() {
			return refuse(fmt.Sprintf("ERR Slot %d is already busy", busy.Ranges()[0].First))
		}
	}
	p.self.slots = p.self.slots.Union(set)
	return nil
}

func (p *process) delSlots(args []string) error {
	set, err := parseRanges(args)
	if err != nil {
		return err
	}
	var owned slots.Set
	for _, n := range p.nodes {
		owned = owned.Union(n.slots)
	}
	if free := set.Minus(owned); !free.IsEmpty() {
		return refuse(fmt.Sprintf("ERR Slot %d is already unassigned", free.Ranges()[0].First))
	}
	for _, n := range p.nodes {
		n.slots = n.slots.Minus(set)
	}
	return nil
}

func parseRanges(args []string) (slots.Set, error) {
	if len(args) == 0 || len(args)%2 != 0 {
		return slots.Set{}, refuse("ERR wrong number of arguments for 'cluster|addslotsrange' command")
	}
	var texts []string
	for i := 0; i < len(args); i += 2 {
		texts = append(texts, args[i]+"-"+args[i+1])
	}
	set, err := slots.Parse(strings.Join(texts, " "))
	if err != nil {
		return slots.Set{}, refuse("ERR Invalid or out of range slot")
	}
	return set, nil
}

func (p *process) setEpoch(args []string) error {
	epoch, err := strconv.ParseUint(args[0], 10, 64)
	switch {
	case err != nil:
		return refuse("ERR Invalid config epoch specified: " + args[0])
	case len(p.nodes) > 1:
		return refuse("ERR The user can assign a config epoch only when the node does not know any other node.")
	case p.self.epoch != 0:
		return refuse("ERR Node config epoch is already non-zero")
	}
	p.self.epoch, p.currentEpoch = epoch, max(p.currentEpoch, epoch)
	return nil
}

func (p *process) bumpEpoch() valkey.Reply {
	highest := p.currentEpoch
	for _, n := range p.nodes {
		highest = max(highest, n.epoch)
	}
	if p.self.epoch != 0 && p.self.epoch == highest {
		return valkey.TextReply(fmt.Sprintf("STILL %d", p.self.epoch))
	}
	p.currentEpoch = highest + 1
	p.self.epoch = p.currentEpoch
	return valkey.TextReply(fmt.Sprintf("BUMPED %d", p.self.epoch))
}

func (p *process) replicate(id valkey.NodeID) error {
	n := p.find(id)
	switch {
	case n == nil || n.handshake:
		return refuse("ERR Unknown node " + string(id))
	case n == p.self:
		return refuse("ERR Can't replicate myself")
	case n.replica:
		return refuse("ERR I can only replicate a master, not a replica.")
	case !p.self.replica && (!p.self.slots.IsEmpty() || len(p.stream.keys) > 0):
		return refuse("ERR To set a master the node must be empty and without assigned slots.")
	case p.self.replica && p.self.primary == id:
		return nil
	}
	p.follow(n)
	return nil
}

func (p *process) forget(id valkey.NodeID) error {
	n := p.find(id)
	switch {
	case n == nil && p.banned[id] > p.now():
		return nil
	case n == nil:
		return refuse("ERR Unknown node " + string(id))
	case n == p.self:
		return refuse("ERR I tried hard but I can't forget myself...")
	case p.self.replica && p.self.primary == id:
		return refuse("ERR Can't forget my master!")
	}
	p.ban(id)
	pk := p.packet(forgotten) // facts 5: it spreads by the bus
	pk.about = id
	p.broadcast(pk)
	return nil
}

func (p *process) reset(hard bool) error {
	if !p.self.replica && len(p.stream.keys) > 0 {
		return refuse("ERR CLUSTER RESET can't be called with master nodes containing keys")
	}
	if p.self.replica {
		p.stream.clear()
		p.link.close(p)
	}
	p.nodes = []*node{p.self}
	p.self.replica, p.self.primary, p.self.slots = false, "", noSlots
	p.manual.reset()
	p.election.reset()
	if hard {
		p.self.id = p.server.newID()
		p.self.epoch, p.currentEpoch, p.lastVote = 0, 0, 0
	}
	return nil
}
