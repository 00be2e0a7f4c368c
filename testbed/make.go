package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/valkey-operator/valkey-operator/testbed/internal/images"
)

// The commands in this file make binaries and images; they need no cluster.

func runBuild(ctx context.Context, tb *testbed, args []string) error {
	flags, _ := tb.flags()
	only := flags.String("only", "", `"apiserver": just etcd, kube-apiserver and kubectl`)
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch *only {
	case "":
		return tb.binaries.Build(ctx, tb.say)
	case "apiserver":
		return tb.binaries.APIServer().Build(ctx, tb.say)
	default:
		return fmt.Errorf("--only %s: want apiserver", *only)
	}
}

func runImages(ctx context.Context, tb *testbed, args []string) error {
	flags, _ := tb.flags()
	refresh := flags.Bool("refresh", false, "make all again, with the packages that Debian has now")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return tb.images.Make(ctx, *refresh, tb.say)
}

func runImage(_ context.Context, tb *testbed, args []string) error {
	flags, _ := tb.flags()
	flags.Lookup("name").Usage = "name and tag of the image"
	binary := flags.String("binary", "", "static binary that the image runs")
	out := flags.String("out", "", "archive to write (default: a file in the cache)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *binary == "" {
		return errors.New("--binary is missing")
	}
	ref := flags.Lookup("name").Value.String()
	if *out == "" {
		*out = filepath.Join(tb.cacheDir, "images", fileName(ref)+".tar")
	}
	if err := images.SingleBinary(ref, *binary, *out); err != nil {
		return err
	}
	fmt.Println(*out)
	return nil
}

var notInFileNames = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

func fileName(ref string) string { return notInFileNames.ReplaceAllString(ref, "-") }

func runAssets(ctx context.Context, tb *testbed, args []string) error {
	flags, _ := tb.flags()
	if err := flags.Parse(args); err != nil {
		return err
	}
	set := tb.binaries.APIServer()
	if set.Missing() != "" {
		if err := set.Build(ctx, tb.say); err != nil {
			return err
		}
	}
	fmt.Println(set.Dir("hyperkube"))
	return nil
}

func runValkey(ctx context.Context, tb *testbed, args []string) error {
	flags, _ := tb.flags()
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("want one version, such as 9.1")
	}
	dir, err := tb.images.ValkeyBin(ctx, flags.Arg(0), tb.say)
	if err != nil {
		return err
	}
	fmt.Println(dir)
	return nil
}
