package act

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/topology"
)

// Nodes carries out the actions that are writes to ValkeyNodes.
type Nodes interface {
	Create(ctx context.Context, name topology.Name) error
	Roll(ctx context.Context, name topology.Name, guard topology.Guard) error
	Release(ctx context.Context, name topology.Name) error
}

// Result is what became of one action.
type Result struct {
	Action topology.Action
	Err    error
}

// ErrSkipped is the result of an action whose predecessor on the same member
// failed.
var ErrSkipped = errors.New("skipped, because the action before it failed")

// actionLimit bounds one action, so that a server that hangs holds up neither
// the others nor the next pass.
const actionLimit = 5 * time.Second

// parallelActions is how many members are acted upon at the same time.
const parallelActions = 32

// Run carries out all actions: those on different members at the same time,
// those on one member in order. A failed action skips the rest of its member.
func Run(ctx context.Context, actions []topology.Action, servers Servers, nodes Nodes) []Result {
	var order []topology.Name
	byMember := map[topology.Name][]int{}
	for i, a := range actions {
		if byMember[a.On()] == nil {
			order = append(order, a.On())
		}
		byMember[a.On()] = append(byMember[a.On()], i)
	}
	results := make([]Result, len(actions))
	var wg sync.WaitGroup
	limit := make(chan struct{}, parallelActions)
	for _, name := range order {
		wg.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			failed := false
			for _, i := range byMember[name] {
				results[i] = Result{actions[i], ErrSkipped}
				if !failed {
					results[i].Err = one(ctx, actions[i], servers, nodes)
					failed = results[i].Err != nil
				}
			}
		})
	}
	wg.Wait()
	return results
}

func one(ctx context.Context, action topology.Action, servers Servers, nodes Nodes) error {
	ctx, cancel := context.WithTimeout(ctx, actionLimit)
	defer cancel()
	if handled, err := servers.Do(ctx, action); handled {
		return err
	}
	switch a := action.(type) {
	case topology.Create:
		return nodes.Create(ctx, a.Name)
	case topology.Roll:
		return nodes.Roll(ctx, a.Name, a.Guard)
	case topology.Release:
		return nodes.Release(ctx, a.Name)
	}
	panic("act: no way to carry out this action")
}
