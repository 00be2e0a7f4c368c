package images

import (
	"archive/tar"
	"fmt"
	"path/filepath"
	"strings"
)

// nonRoot is the user of single-binary images.
const nonRoot = "65532:65532"

// SingleBinary writes an image that holds nothing but one static binary, in
// the root folder, and runs it as a user that is not root.
func SingleBinary(ref, binary, archive string) error {
	if name, tag, ok := strings.Cut(ref, ":"); !ok || name == "" || tag == "" {
		return fmt.Errorf("image name %q: want NAME:TAG", ref)
	}
	program := filepath.Base(binary)
	return WriteArchive(archive, Image{
		Refs:   []string{ref},
		Config: Config{User: nonRoot, WorkingDir: "/", Entrypoint: []string{"/" + program}},
		Layer:  func(layer *tar.Writer) error { return addBinary(layer, program, binary) },
	})
}
