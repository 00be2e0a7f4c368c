package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// installOnly matches packages that only the scripts of an installation need;
// those are not run here.
var installOnly = regexp.MustCompile(`^(systemd|systemd-.*|libsystemd-shared|init-system-helpers|adduser|debconf|passwd|login\.defs|` +
	`libpam.*|libsemanage.*|libsepol.*|libaudit.*|base-passwd|libdb5\.3.*|gcc-.*-base|libc-gconv-modules-extra|` +
	`openssl-provider-legacy|usrmerge|perl|perl-.*|libperl.*|lib.*-perl|libgdbm.*|dpkg|tar|libdebconfclient0|libbsd0|libmd0|libmount1|libblkid1)$`)

// ballast is removed from the unpacked packages.
var ballast = []string{
	"usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian",
	"usr/share/bash-completion", "usr/share/bug", "usr/lib/*/gconv", "usr/lib/systemd", "etc/init.d",
}

// accounts are the users that the image's processes look up.
var accounts = map[string]string{
	"etc/passwd": "root:x:0:0:root:/root:/bin/sh\n" +
		"valkey:x:999:999::/data:/bin/sh\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/bin/false\n",
	"etc/group":         "root:x:0:\nvalkey:x:999:\nnogroup:x:65534:\n",
	"etc/nsswitch.conf": "hosts: files dns\n",
}

// unpackPackages makes a root file system from packages and everything they
// depend on, without running any of their scripts. It returns the package files.
func unpackPackages(ctx context.Context, a *apt, root string, packages []string) ([]string, error) {
	if err := skeleton(root); err != nil {
		return nil, err
	}
	names, err := a.closure(ctx, packages)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, installOnly.MatchString)
	debs, err := a.download(ctx, names)
	if err != nil {
		return nil, err
	}
	for _, deb := range debs {
		if err := unpack(ctx, deb, root); err != nil {
			return nil, fmt.Errorf("unpack %s: %w", filepath.Base(deb), err)
		}
	}
	return debs, finish(ctx, root)
}

// unpack unpacks the files of a package. (dpkg-deb -x would replace the link
// /bin by a folder, which older packages bring.)
func unpack(ctx context.Context, deb, root string) error {
	files := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	extract := exec.CommandContext(ctx, "tar", "-x", "--keep-directory-symlink", "-p", "-C", root)
	pipe, err := files.StdoutPipe()
	if err != nil {
		return err
	}
	extract.Stdin = pipe
	if err := files.Start(); err != nil {
		return err
	}
	out, err := extract.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tar: %w\n%s", err, out)
	}
	return errors.Join(err, files.Wait())
}

// skeleton makes the folders, with /bin, /sbin and /lib merged into /usr: older
// packages unpack through the links.
func skeleton(root string) error {
	for _, dir := range []string{"usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "etc", "tmp", "var/lib", "run", "data", "root", "proc", "sys", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			return err
		}
	}
	links := map[string]string{"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64", "var/run": "../run"}
	for link, target := range links {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			return err
		}
	}
	return os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky)
}

func finish(ctx context.Context, root string) error {
	for _, pattern := range ballast {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return err
		}
		for _, match := range matches {
			if err := os.RemoveAll(match); err != nil {
				return err
			}
		}
	}
	for name, content := range accounts {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return linkApplets(ctx, root)
}

// linkApplets gives the image a shell and the small tools that probes and
// scripts use, from busybox; what a package brought stays.
func linkApplets(ctx context.Context, root string) error {
	bin := filepath.Join(root, "usr/bin")
	list, err := exec.CommandContext(ctx, filepath.Join(bin, "busybox"), "--list").Output()
	if err != nil {
		return fmt.Errorf("busybox --list: %w", err)
	}
	for applet := range strings.FieldsSeq(string(list)) {
		if err := os.Symlink("busybox", filepath.Join(bin, applet)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}
