package vknode

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valkey-operator/valkey-operator/internal/slots"
	"github.com/valkey-operator/valkey-operator/internal/topology"
	"github.com/valkey-operator/valkey-operator/internal/valkey"
	"github.com/valkey-operator/valkey-operator/internal/valkeytest"
)

// patience is how long a server may take to get where a test wants it.
const patience = time.Minute

// What servers do with each of these files without start.sh is in
// docs/design/valkey-facts.md, section 10: most of them end at once, in their
// own ways, and an empty one makes a stranger of them that claims slots.

// fate is what becomes of a server's identity.
type fate string

const (
	same   fate = "the same ID and role"
	lost   fate = "a new ID, replica of nobody"
	seed   fate = "a new ID, primary"
	broken fate = "no start"
)

// confCase is what is on a volume when its pod starts.
type confCase struct {
	name string
	// conf makes a nodes.conf of a good one; nil removes it.
	conf func(lines []string) string
	// owner is what the volume says whose it is; "" is nothing.
	owner string
	want  fate
	// held is whether the server is kept away first. kept is how many files are
	// put aside.
	held bool
	kept int
}

const itself = "default/c-0-0"

// others, me and vars are parts of a good nodes.conf of a primary.
func me(lines []string) string {
	return lines[slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "myself") })]
}

func others(lines []string) string {
	text := ""
	for _, line := range lines {
		if line != "" && !strings.Contains(line, "myself") && !strings.HasPrefix(line, "vars") {
			text += line + "\n"
		}
	}
	return text
}

func vars(lines []string) string { return lines[len(lines)-2] }

func literal(text string) func([]string) string { return func([]string) string { return text } }

func whole(lines []string) string { return strings.Join(lines, "\n") }

var shardID = regexp.MustCompile(`shard-id=[0-9a-f]{40}`)

// astray gives replicas another shard than their primary has, as 8.0 and 8.1
// sometimes do themselves.
func astray(lines []string) string {
	changed := slices.Clone(lines)
	for i, line := range changed {
		if strings.Contains(line, "slave") {
			changed[i] = shardID.ReplaceAllString(line, "shard-id="+strings.Repeat("ab", 20))
		}
	}
	return whole(changed)
}

// asReplica is what a replica of this server has left when its file is cut
// behind its own line.
func asReplica(lines []string) string {
	for _, line := range lines {
		if strings.Contains(line, " slave ") {
			return strings.Replace(line, " slave ", " myself,slave ", 1) + "\n"
		}
	}
	return ""
}

var confCases = []confCase{
	{name: "good", conf: whole, owner: itself, want: same, held: true},
	{name: "good, of a volume that says nothing", conf: whole, want: same, held: true},
	{name: "missing", owner: itself, want: lost, held: true},
	{name: "missing on a volume that was filled by hand", want: seed},
	{name: "empty", conf: literal(""), owner: itself, want: lost, held: true},
	{name: "empty on a volume that says nothing", conf: literal(""), want: lost, held: true},
	{name: "of another node", conf: whole, owner: "default/c-0-1", want: lost, held: true, kept: 1},
	{name: "of another namespace", conf: whole, owner: "other/c-0-0", want: lost, held: true, kept: 1},
	{name: "a newline", conf: literal("\n"), owner: itself, want: lost, held: true, kept: 1},
	{name: "a space", conf: literal(" \n"), owner: itself, want: lost, held: true, kept: 1},
	{name: "an empty line in it", conf: func(l []string) string { return me(l) + "\n\n" + others(l) + vars(l) + "\n" }, owner: itself, want: lost, held: true, kept: 1},
	{name: "a directory", owner: itself, want: broken},
	{name: "garbage", conf: literal("hello world * this is garbage\n"), owner: itself, want: lost, held: true, kept: 1},
	{name: "zeros", conf: literal(strings.Repeat("\x00", 700)), owner: itself, want: lost, held: true, kept: 1},
	{name: "zeros behind it", conf: func(l []string) string { return whole(l) + strings.Repeat("\x00", 300) }, owner: itself, want: same, held: true, kept: 1},
	{name: "zeros instead of its end", conf: func(l []string) string { return me(l) + "\n" + strings.Repeat("\x00", 300) }, owner: itself, want: same, held: true, kept: 1},
	{name: "cut in an ID", conf: func(l []string) string { return me(l) + "\n" + others(l)[:20] }, owner: itself, want: same, held: true, kept: 1},
	{name: "cut in another's line", conf: func(l []string) string { return me(l) + "\n" + others(l)[:120] }, owner: itself, want: same, held: true, kept: 1},
	{name: "cut in its own line", conf: func(l []string) string { return others(l) + me(l)[:len(me(l))-3] }, owner: itself, want: lost, held: true, kept: 1},
	{name: "cut in vars", conf: func(l []string) string { return others(l) + me(l) + "\nvars curr" }, owner: itself, want: same, held: true, kept: 1},
	{name: "cut in vars, odd", conf: func(l []string) string { return others(l) + me(l) + "\nvars currentEpoch 4 lastVoteEpoch" }, owner: itself, want: same, held: true, kept: 1},
	{name: "cut in the last number", conf: func(l []string) string { return strings.TrimSuffix(whole(l), "\n") }, owner: itself, want: same, held: true, kept: 1},
	{name: "cut before vars", conf: func(l []string) string { return others(l) + me(l) + "\n" }, owner: itself, want: same, held: true},
	{name: "without its own line", conf: func(l []string) string { return others(l) + vars(l) + "\n" }, owner: itself, want: lost, held: true, kept: 1},
	{name: "with its own line twice", conf: func(l []string) string { return me(l) + "\n" + whole(l) }, owner: itself, want: lost, held: true, kept: 1},
	{name: "only vars", conf: func(l []string) string { return vars(l) + "\n" }, owner: itself, want: lost, held: true, kept: 1},
	{name: "an unknown flag", conf: func(l []string) string { return strings.Replace(whole(l), "myself,master", "myself,mister", 1) }, owner: itself, want: lost, held: true, kept: 1},
	{name: "a bad number", conf: func(l []string) string { return strings.Replace(whole(l), " connected", " x connected", 1) }, owner: itself, want: lost, held: true, kept: 1},
	{name: "cut behind the line of a replica", conf: asReplica, owner: itself, want: lost, held: true, kept: 1},
	{name: "replicas in another shard", conf: astray, owner: itself, want: same, held: true, kept: 1},
}

// Whatever nodes.conf is like, the server starts, with its data, and either is
// who it was or serves nobody; and nothing of the old file is lost.
func TestStartWithAnyNodesConf(t *testing.T) {
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		v := volumeOf(t, bin)
		for i, c := range confCases {
			shell := [][]string{{"/bin/sh"}, {"busybox", "sh"}}[i%2]
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				v.try(t, bin, shell, c)
			})
		}
	})
}

// volume is what is on the volume of a primary with a replica.
type volume struct {
	conf []string // lines of nodes.conf
	dump []byte
	id   valkey.NodeID
	keys int64
}

func volumeOf(t *testing.T, bin valkeytest.Binary) volume {
	t.Helper()
	servers := valkeytest.Start(t, bin, 3, valkeytest.Options{Settings: []string{"save 3600 1"}})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a, b, replica := servers[0].Conn(t), servers[1].Conn(t), servers[2].Conn(t)
	halves := slots.Partition(2)
	ok(t, valkey.AddSlots(ctx, a, halves[0]))
	ok(t, valkey.AddSlots(ctx, b, halves[1]))
	ok(t, valkey.Meet(ctx, a, servers[1].Addr(), servers[1].BusPort()))
	ok(t, valkey.Meet(ctx, a, servers[2].Addr(), servers[2].BusPort()))
	id, err := valkey.MyID(ctx, a)
	ok(t, err)
	await(t, "the replica is attached", func() bool { return valkey.Replicate(ctx, replica, id) == nil })
	v := volume{id: id}
	for _, key := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		await(t, "a key is written or belongs elsewhere", func() bool {
			text := fmt.Sprint(a.Do(ctx, valkey.Cmd("SET", key, "1"))[0].Err())
			return text == "<nil>" || strings.Contains(text, "MOVED")
		})
	}
	await(t, "everybody knows whose replica it is", func() bool {
		nodes, _ := os.ReadFile(filepath.Join(servers[0].Dir(), "nodes.conf"))
		o, err := valkey.Observe(ctx, a)
		ok(t, err)
		v.keys = o.Keys
		return strings.Contains(string(nodes), "slave "+string(id)) && o.Cluster.OK && len(o.Replication.Replicas) > 0
	})
	servers[0].Stop()
	v.conf = strings.Split(read(t, servers[0].Dir(), "nodes.conf"), "\n")
	v.dump = []byte(read(t, servers[0].Dir(), "dump.rdb"))
	if v.keys == 0 {
		t.Fatal("no key is on the volume")
	}
	return v
}

// newVolume is a container with a real server, a dump and perhaps a nodes.conf.
func newVolume(t *testing.T, bin valkeytest.Binary, shell []string, dump []byte, conf string) (*container, netip.AddrPort) {
	t.Helper()
	box := &container{t: t, dir: t.TempDir(), shell: shell}
	at := valkeytest.Address(t)
	box.write("start.sh", startScript)
	box.write("node", itself+"\n")
	box.write("bin/valkey-server", "#!/bin/sh\nexec "+strings.Join(bin.Command(), " ")+` "$@"`+"\n")
	box.write("valkey.conf", fmt.Sprintf(`cluster-enabled yes
cluster-node-timeout 100
port %d
cluster-port %d
bind %s
bind-source-addr %s
protected-mode no
dir %s
cluster-config-file nodes.conf
save 3600 1
`, at.Port(), at.Port()+10000, at.Addr(), at.Addr(), filepath.Join(box.dir, "data")))
	tool, err := filepath.Abs(filepath.Join(os.Getenv("VALKEY_BIN_"+strings.ReplaceAll(bin.Version, ".", "_")), "valkey-check-rdb"))
	ok(t, err)
	ok(t, os.Symlink(tool, filepath.Join(box.dir, "bin/valkey-check-rdb")))
	box.write("data/dump.rdb", string(dump))
	if conf != "" {
		box.write("data/nodes.conf", conf)
	}
	return box, at
}

func (v volume) try(t *testing.T, bin valkeytest.Binary, shell []string, c confCase) {
	box, at := newVolume(t, bin, shell, v.dump, "")
	if c.conf != nil {
		box.write("data/nodes.conf", c.conf(v.conf))
	}
	if c.owner != "" {
		box.write("data/owner", c.owner+"\n")
	}
	if c.want == broken {
		box.write("data/nodes.conf/file", "")
		v.breaks(box.start())
		return
	}
	r := box.start()
	o, shards := r.answer(at)
	if !strings.Contains(shards, string(o.ID())) { // clients go by them
		t.Errorf("its own CLUSTER SHARDS are without it: %s", shards)
	}
	if got := v.fate(o); got != c.want || o.Keys != v.keys {
		t.Errorf("it starts with %s and %d keys; want %s and %d\n%s", got, o.Keys, c.want, v.keys, r.output.String())
	}
	if held := strings.Contains(r.output.String(), "start: "); held != c.held {
		t.Errorf("held back: %t, want %t\n%s", held, c.held, r.output.String())
	}
	await(t, "the volume says whose it is", func() bool {
		text, _ := os.ReadFile(filepath.Join(box.dir, "data/owner"))
		return string(text) == itself+"\n"
	})
	kept, _ := filepath.Glob(filepath.Join(box.dir, "data/nodes.conf.*"))
	if len(kept) != c.kept {
		t.Errorf("files put aside: %q, want %d", kept, c.kept)
	}
	for _, file := range kept {
		if text := read(t, file, ""); text != c.conf(v.conf) {
			t.Errorf("%s is not what was there:\n%s", file, text)
		}
	}
	r.terminate()
}

// breaks waits for the end of a server that cannot start, which says why.
func (v volume) breaks(r *run) {
	r.c.t.Helper()
	_ = r.cmd.Wait()
	if code := r.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(r.output.String(), "nodes.conf") {
		r.c.t.Errorf("exit code %d\n%s", code, r.output.String())
	}
}

func (v volume) fate(o valkey.Observation) fate {
	self := o.Self()
	switch {
	case self.ID == v.id && self.Role() == valkey.Primary && self.Slots.Equal(slots.Partition(2)[0]):
		return same
	case self.ID != v.id && topology.NodeID(self.Primary) == topology.Nobody && self.Slots.IsEmpty():
		return lost
	case self.ID != v.id && self.Role() == valkey.Primary:
		return seed
	}
	return fate(fmt.Sprintf("%s, %v of %q, slots %v", self.ID, self.Role(), self.Primary, self.Slots))
}

// answer waits until the server answers.
func (r *run) answer(at netip.AddrPort) (o valkey.Observation, shards string) {
	r.c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	await(r.c.t, "the server answers", func() bool {
		conn, err := valkey.TCP{}.Dial(ctx, valkey.Target{Addr: at})
		if err != nil {
			return false
		}
		defer conn.Close()
		o, err = valkey.Observe(ctx, conn)
		shards = flat(conn.Do(ctx, valkey.Cmd("CLUSTER", "SHARDS"))[0])
		return err == nil && !o.Persistence.Loading
	})
	return o, shards
}

// flat is every word of an answer.
func flat(r valkey.Reply) string {
	if text, err := r.Text(); err == nil {
		return text
	}
	items, _ := r.List() // what is neither has no words
	var words []string
	for _, item := range items {
		words = append(words, flat(item))
	}
	return strings.Join(words, " ")
}

func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for start := time.Now(); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatalf("after %v it is still not so that %s", patience, what)
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	ok(t, err)
	return string(text)
}

// Data that cannot be loaded is said in a few words, without the names of keys,
// and a replica does without it.
func TestDamagedData(t *testing.T) {
	damages := map[string]func([]byte) []byte{
		"cut":     func(d []byte) []byte { return d[:len(d)/2] },
		"empty":   func([]byte) []byte { return nil },
		"garbage": func([]byte) []byte { return bytes.Repeat([]byte("garbage"), 100) },
		"flipped": func(d []byte) []byte { return append(slices.Clone(d[:len(d)-3]), "abc"...) },
	}
	valkeytest.Each(t, func(t *testing.T, bin valkeytest.Binary) {
		v := volumeOf(t, bin)
		for name, damage := range damages {
			for _, replica := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/replica %t", name, replica), func(t *testing.T) {
					t.Parallel()
					conf := others(v.conf) + me(v.conf) + "\n" + vars(v.conf) + "\n"
					if replica {
						conf = others(v.conf) + asReplica(v.conf)
						conf = strings.Replace(conf, otherReplica(v.conf), me(v.conf)+"\n", 1)
						conf = strings.Replace(conf, "myself,master", "master", 1)
					}
					box, _ := newVolume(t, bin, []string{"busybox", "sh"}, damage(v.dump), conf)
					box.write("data/clean-shutdown", "") // it does not fit, and a replica does not wait
					r := box.start()
					_ = r.cmd.Wait()
					v.judgeDamage(r, replica)
				})
			}
		}
	})
}

// otherReplica is the line of the one replica, as others have it.
func otherReplica(lines []string) string {
	for line := range strings.Lines(others(lines)) {
		if strings.Contains(line, " slave ") {
			return line
		}
	}
	return ""
}

func (v volume) judgeDamage(r *run, replica bool) {
	t, said := r.c.t, r.output.String()
	code, want, last := r.cmd.ProcessState.ExitCode(), ExitDataDamaged, said[strings.LastIndex(said, "start: "):]
	_, err := os.Stat(filepath.Join(r.c.dir, "data/dump.rdb"))
	if replica {
		want = 1
	}
	if code != want || replica != os.IsNotExist(err) || !strings.Contains(last, "dump.rdb") || strings.Contains(last, "key") {
		t.Errorf("exit code %d, want %d; dump.rdb: %v\n%s", code, want, err, said)
	}
	if replica {
		read(t, r.c.dir, "data/dump.rdb.damaged")
	}
}
