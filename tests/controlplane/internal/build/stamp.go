// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stampName is the file that makes a folder of binaries a finished build.
const stampName = ".stamp"

// digest is over everything that decides what the binaries are: the plan, the
// flags, the toolchain, the pinned versions and our own sources. The builder's
// other sources are left out on purpose: a new wording of the progress line
// must not rebuild Kubernetes.
func (p Plan) digest(toolchain string) (string, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q\n%q\n%q\n%q\n%q\n%q\n", toolchain, p.Commands, p.Files, p.Release, p.Versions, compileFlags)
	names := []string{"go.mod", "go.sum"}
	for _, c := range append(append([]Command{}, p.Commands...), p.Files...) {
		if !strings.HasPrefix(c.Package, "./") {
			continue
		}
		sources, err := filepath.Glob(filepath.Join(p.Module, c.Package, "*.go"))
		if err != nil {
			return "", fmt.Errorf("package %s: %w", c.Package, err)
		}
		for _, source := range sources {
			names = append(names, filepath.Join(c.Package, filepath.Base(source)))
		}
	}
	for _, name := range names {
		if err := hashFile(hash, p.Module, name); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// hashFile adds one file. A module without dependencies has no go.sum, so an
// absent file is an input of its own kind and not an error.
func hashFile(hash io.Writer, module, name string) error {
	content, err := os.ReadFile(filepath.Join(module, name))
	if errors.Is(err, fs.ErrNotExist) && name == "go.sum" {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading an input of the build: %w", err)
	}
	fmt.Fprintf(hash, "%q %d\n", filepath.ToSlash(name), len(content))
	_, err = hash.Write(content)
	return err
}

// finished tells whether the output folder holds a complete build of this
// digest. A file that somebody deleted makes it incomplete again.
func (p Plan) finished(digest string) bool {
	stamp, err := os.ReadFile(filepath.Join(p.Out, stampName))
	if err != nil || string(bytes.TrimSpace(stamp)) != digest {
		return false
	}
	for _, name := range p.outputs() {
		info, err := os.Stat(filepath.Join(p.Out, name))
		if err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}
