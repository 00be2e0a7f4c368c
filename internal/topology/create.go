package topology

import "fmt"

// create makes every wanted ValkeyNode that does not exist, all at once.
func create(p *pass) {
	for _, n := range p.want.Members {
		if p.byName[n.Name] != nil {
			continue
		}
		p.act(Create{
			Why:    Why{ReasonCreating, fmt.Sprintf("creating node %s", n.Name), n.Shard},
			Target: Target{Name: n.Name},
		})
	}
}
