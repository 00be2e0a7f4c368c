package images

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// tree makes a small root file system.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"usr/bin", "data", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "usr/bin/tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("usr/bin", filepath.Join(root, "bin")); err != nil {
		t.Fatal(err)
	}
	return root
}

func archiveOfTree(t *testing.T, root string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	err := WriteArchive(path, Image{
		Refs:   []string{"a/b:1", "a/b:1.2"},
		Config: Config{User: "999:999", Cmd: []string{"tool"}},
		Layer:  func(w *tar.Writer) error { return addTree(w, root, map[string]int{"data": 999}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// entries reads an archive: headers by name, in order, and contents.
func entries(t *testing.T, archive []byte) (headers []*tar.Header, contents map[string][]byte) {
	t.Helper()
	contents = map[string][]byte{}
	r := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := r.Next()
		if err == io.EOF {
			return headers, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		if contents[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		headers = append(headers, header)
	}
}

func TestArchiveNamesItsParts(t *testing.T) {
	_, parts := entries(t, archiveOfTree(t, tree(t)))
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(parts["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 1 || len(manifest[0].RepoTags) != 2 || manifest[0].RepoTags[1] != "a/b:1.2" {
		t.Fatalf("manifest %+v: want one image with both names", manifest)
	}
	var config struct {
		Config struct{ User string }
		Rootfs struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(parts[manifest[0].Config], &config); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(parts[manifest[0].Layers[0]])
	if want := "sha256:" + hex.EncodeToString(sum[:]); len(config.Rootfs.DiffIDs) != 1 || config.Rootfs.DiffIDs[0] != want {
		t.Errorf("layer digests %v, want %s", config.Rootfs.DiffIDs, want)
	}
	if config.Config.User != "999:999" {
		t.Errorf("user %q", config.Config.User)
	}
}

func TestLayerKeepsModesAndLinksButNotOwners(t *testing.T) {
	_, parts := entries(t, archiveOfTree(t, tree(t)))
	headers, contents := entries(t, parts["layer.tar"])
	want := []struct {
		name, link string
		mode       int64
		owner      int
	}{
		{"bin", "usr/bin", 0o777, 0},
		{"data/", "", 0o755, 999},
		{"tmp/", "", 0o1777, 0},
		{"usr/", "", 0o755, 0},
		{"usr/bin/", "", 0o755, 0},
		{"usr/bin/tool", "", 0o755, 0},
	}
	if len(headers) != len(want) {
		t.Fatalf("%d entries, want %d", len(headers), len(want))
	}
	for i, w := range want {
		h := headers[i]
		if h.Name != w.name || h.Linkname != w.link || h.Mode != w.mode || h.Uid != w.owner || h.Gid != w.owner || h.Uname != "" {
			t.Errorf("entry %d is %q -> %q, mode %o, owner %d:%d %q; want %+v", i, h.Name, h.Linkname, h.Mode, h.Uid, h.Gid, h.Uname, w)
		}
	}
	if got := string(contents["usr/bin/tool"]); got != "#!/bin/sh\n" {
		t.Errorf("content %q", got)
	}
}

func TestArchiveIsReproducible(t *testing.T) {
	root := tree(t)
	first := archiveOfTree(t, root)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(root, "usr/bin/tool"), later, later); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, archiveOfTree(t, root)) {
		t.Error("the same files at another time gave another archive")
	}
	if err := os.WriteFile(filepath.Join(root, "data/x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(first, archiveOfTree(t, root)) {
		t.Error("another file gave the same archive")
	}
}

func TestFailedLayerLeavesNoArchive(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	err := WriteArchive(filepath.Join(dir, "image.tar"), Image{Layer: func(*tar.Writer) error { return broken }})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSingleBinary(t *testing.T) {
	dir := t.TempDir()
	binary, archive := filepath.Join(dir, "manager"), filepath.Join(dir, "image.tar")
	if err := os.WriteFile(binary, []byte("ELF"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"", "name", ":tag", "name:"} {
		if err := SingleBinary(ref, binary, archive); err == nil {
			t.Errorf("image name %q was taken", ref)
		}
	}
	if err := SingleBinary("a/b:dev", binary, archive); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	_, parts := entries(t, content)
	headers, files := entries(t, parts["layer.tar"])
	if len(headers) != 1 || headers[0].Mode != 0o755 || string(files["manager"]) != "ELF" {
		t.Errorf("layer %+v: want the binary, executable for all", headers)
	}
	if !bytes.Contains(parts["config.json"], []byte(`"User":"65532:65532"`)) || !bytes.Contains(parts["config.json"], []byte(`"Entrypoint":["/manager"]`)) {
		t.Errorf("configuration %s", parts["config.json"])
	}
}
