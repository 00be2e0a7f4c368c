package images

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// An Image is one layer, how to run it, and the names it goes by.
type Image struct {
	Refs   []string // such as "valkey/valkey:9.1"
	Config Config
	Layer  func(*tar.Writer) error // writes the layer's files, in the same order every time
}

// Config is the part of an image's configuration that is used here; the names
// are those of the image specification.
type Config struct {
	User         string              `json:"User,omitempty"`
	WorkingDir   string              `json:"WorkingDir,omitempty"`
	Env          []string            `json:"Env,omitempty"`
	Entrypoint   []string            `json:"Entrypoint,omitempty"`
	Cmd          []string            `json:"Cmd,omitempty"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts,omitempty"`
}

// epoch is the time of everything in an archive: the same content gives the
// same bytes, whenever it is written.
var epoch = time.Unix(0, 0)

// WriteArchive writes an image as a docker-archive, which containerd imports.
func WriteArchive(path string, image Image) error {
	layer, err := os.CreateTemp(filepath.Dir(path), "layer-")
	if err != nil {
		return err
	}
	defer os.Remove(layer.Name())
	defer layer.Close()
	digest, err := writeLayer(layer, image.Layer)
	if err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := writeOuter(out, image, layer, digest); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// writeLayer returns the digest by which the configuration names the layer.
func writeLayer(w io.Writer, fill func(*tar.Writer) error) (string, error) {
	sum := sha256.New()
	archive := tar.NewWriter(io.MultiWriter(w, sum))
	if err := fill(archive); err != nil {
		return "", err
	}
	if err := archive.Close(); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

func writeOuter(w io.Writer, image Image, layer io.ReadSeeker, digest string) error {
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"created":      epoch.UTC().Format(time.RFC3339),
		"config":       image.Config,
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{digest}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{
		{"Config": "config.json", "RepoTags": image.Refs, "Layers": []string{"layer.tar"}},
	})
	if err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	if err := addBytes(archive, "manifest.json", 0o644, manifest); err != nil {
		return err
	}
	if err := addBytes(archive, "config.json", 0o644, config); err != nil {
		return err
	}
	size, err := layer.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := addFile(archive, "layer.tar", 0o644, size, layer); err != nil {
		return err
	}
	return archive.Close()
}
