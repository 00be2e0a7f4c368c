package topology

import "testing"

func TestHealthyClusterIsLeftAlone(t *testing.T) {
	for _, shape := range [][2]int{{1, 0}, {1, 1}, {3, 1}, {4, 2}} {
		if plan := Next(healthy(shape[0], shape[1])); !plan.Done() {
			t.Errorf("%v: %+v", shape, plan)
		}
	}
}

// A replica that some primary does not know as such, or cannot answer, gets no
// majority, and on 8.0 does not ask again soon: the hand-over waits.
func TestHandOverWaitsForVoters(t *testing.T) {
	want, seen := healthy(3, 1)
	primary, replica := seen.named("c-0-0"), seen.named("c-0-1")
	primary.Template, primary.Pod.Template = "old", "old"
	if plan := Next(want, seen); len(plan.Actions) != 1 || plan.Actions[0].On() != replica.Name {
		t.Fatalf("no hand-over: %+v", plan)
	}
	voter := seen.named("c-2-0")
	agreed := voter.Server.View
	for name, change := range map[string]func(*Peer){
		"takes it for a primary": func(p *Peer) { p.Role, p.Primary = RolePrimary, "" },
		"is not connected to it": func(p *Peer) { p.Unlinked = true },
	} {
		voter.Server.View = agreed
		voter.seesOtherwise(replica.Server.ID, change)
		if plan := Next(want, seen); len(plan.Actions) != 0 || len(plan.Blocked) == 0 {
			t.Errorf("handed over while a primary %s: %+v", name, plan)
		}
	}
}

// A primary whose volume was lost comes back as a stranger. Its replicas, if
// they were restarted since, wait for it in vain.
func TestGonePrimaryIsSucceeded(t *testing.T) {
	want, seen := healthy(3, 1)
	primary, replica := seen.named("c-0-0"), seen.named("c-0-1")
	gone := primary.Server.ID
	for i := range seen.Members {
		seen.Members[i].seesOtherwise(gone, func(p *Peer) { p.Failed = true })
	}
	primary.Server.ID, primary.Server.Slots, primary.Server.Keys = "ff", primary.Server.Slots.First(0), 0
	replica.Server.Link.Up = false
	if a := failOverOf(Next(want, seen)); a == nil || a.Name != replica.Name {
		t.Fatalf("it is not failed over to its replica: %v", a)
	}
	t.Run("unless a wanted server does not answer", func(t *testing.T) {
		seen.named("c-2-1").Server = nil
		if a := failOverOf(Next(want, seen)); a != nil {
			t.Errorf("that may have the ID (N3): %+v", a)
		}
	})
}

func failOverOf(p Plan) *FailOver {
	for _, a := range p.Actions {
		if f, ok := a.(FailOver); ok {
			return &f
		}
	}
	return nil
}
