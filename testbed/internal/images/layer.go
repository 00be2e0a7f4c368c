package images

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// addBytes adds a file with the given content.
func addBytes(archive *tar.Writer, name string, mode int64, content []byte) error {
	return addFile(archive, name, mode, int64(len(content)), bytes.NewReader(content))
}

// addFile adds a file of root's with size bytes of content.
func addFile(archive *tar.Writer, name string, mode, size int64, content io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, ModTime: epoch}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(archive, content)
	return err
}

// addBinary adds an executable under the given name.
func addBinary(archive *tar.Writer, name, path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return addBytes(archive, name, 0o755, content)
}

// addTree adds a folder with everything in it, in the order of names. Files
// belong to root, whoever made the folder, except those that owners names by
// their path (with the user and group number).
func addTree(archive *tar.Writer, root string, owners map[string]int) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return addEntry(archive, path, name, owners[name])
	})
}

func addEntry(archive *tar.Writer, path, name string, owner int) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	target := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if target, err = os.Readlink(path); err != nil {
			return err
		}
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return err
	}
	header.Name = name
	if info.IsDir() {
		header.Name += "/"
	}
	header.ModTime, header.AccessTime, header.ChangeTime = epoch, time.Time{}, time.Time{}
	header.Uid, header.Gid, header.Uname, header.Gname = owner, owner, "", ""
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	content, err := os.Open(path)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(archive, content)
	return err
}
