package main

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var errNoNode = errors.New("no node is ready and schedulable")

// pickNode chooses for a claim that is bound before any pod uses it: the
// scheduler has not spoken, so the node with the fewest volumes takes it.
func (f folders) pickNode(ctx context.Context) (string, error) {
	nodes, err := f.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	volumes, err := f.client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	return emptiest(nodes.Items, volumes.Items)
}

// emptiest returns the usable node with the fewest volumes, the first by name
// among equals.
func emptiest(nodes []v1.Node, volumes []v1.PersistentVolume) (string, error) {
	count := map[string]int{}
	for i := range volumes {
		count[nodeOf(&volumes[i])]++
	}
	best := ""
	for i := range nodes {
		name := nodes[i].Name
		if !usable(&nodes[i]) {
			continue
		}
		if best == "" || count[name] < count[best] || count[name] == count[best] && name < best {
			best = name
		}
	}
	if best == "" {
		return "", errNoNode
	}
	return best, nil
}

// nodeOf returns the node that a volume of ours is tied to, "" for others.
func nodeOf(pv *v1.PersistentVolume) string {
	if pv.Spec.Local == nil || pv.Spec.NodeAffinity == nil || pv.Spec.NodeAffinity.Required == nil {
		return ""
	}
	for _, term := range pv.Spec.NodeAffinity.Required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			if e.Key == v1.LabelHostname && len(e.Values) == 1 {
				return e.Values[0]
			}
		}
	}
	return ""
}

func usable(node *v1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == v1.NodeReady {
			return c.Status == v1.ConditionTrue && !node.Spec.Unschedulable
		}
	}
	return false
}
