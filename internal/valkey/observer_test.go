package valkey

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What an observer read before makes no difference to what it reads.
func TestObserverReadsTheSame(t *testing.T) {
	together := &Observer{}
	recorded(t, "*/nodes-*.txt", func(file, text string) {
		for _, text := range []string{text, strings.ReplaceAll(text, " connected", " disconnected"), text} {
			alone, err := ParseNodes(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := together.parseNodes(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone, got, compareNodes); diff != "" {
				t.Errorf("%s (-alone +together):\n%s", file, diff)
			}
		}
	})
}

// Servers differ in when they last heard of each other, and share the rest.
func TestObserverSharesLinesThatDifferInTimes(t *testing.T) {
	o := &Observer{}
	line := string(idA) + " 10.0.0.1:6379@16379 master - PING PONG 1 connected 0-100"
	var nodes []*Node
	for _, times := range [][2]string{{"0", "1426238317000"}, {"7", "0"}} {
		read, err := o.parseNodes(strings.NewReplacer("PING", times[0], "PONG", times[1]).Replace(line))
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, read...)
	}
	if len(nodes) != 2 || nodes[0] != nodes[1] {
		t.Errorf("%v", nodes)
	}
	for _, other := range []string{" 2 connected 0-100", " 1 disconnected 0-100", " 1 connected 0-101", " 1 connected"} {
		read, err := o.parseNodes(strings.Replace(line, " PING PONG 1 connected 0-100", " 0 0"+other, 1))
		if err != nil || read[0] == nodes[0] {
			t.Errorf("%q is taken for the same: %v", other, err)
		}
	}
}
