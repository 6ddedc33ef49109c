// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// small is a plan over a copy of the module in testdata, so that a test may
// change its sources.
func small(t *testing.T, commands ...string) Plan {
	t.Helper()
	folder := t.TempDir()
	module := filepath.Join(folder, "module")
	if err := os.CopyFS(module, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	plan := Plan{
		Module: module,
		Out:    filepath.Join(folder, "bin", "out"),
		Files:  []Command{{Name: "printed.yaml", Package: "./cmd/printer"}},
	}
	for _, name := range commands {
		plan.Commands = append(plan.Commands, Command{Name: name, Package: "./cmd/" + name})
	}
	return plan
}

func run(t *testing.T, plan Plan) (string, error) {
	t.Helper()
	var log bytes.Buffer
	err := Run(t.Context(), plan, &log)
	return log.String(), err
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// siblings are what a build leaves beside its output.
func siblings(t *testing.T, plan Plan) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(plan.Out))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func TestBuildOnceThenNeverAgain(t *testing.T) {
	plan := small(t, "good")
	log, err := run(t, plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"[1/3] modules", "[2/3] good", "[3/3] printed.yaml", "built " + plan.Out} {
		if !strings.Contains(log, line) {
			t.Errorf("the progress does not say %q:\n%s", line, log)
		}
	}
	if got := read(t, plan.Out, "printed.yaml"); got != "printed: true\n" {
		t.Errorf("printed file: %q", got)
	}
	if err := exec.CommandContext(t.Context(), filepath.Join(plan.Out, "good")).Run(); err != nil {
		t.Errorf("running what was built: %v", err)
	}
	if got := siblings(t, plan); got != ".out.lock out" {
		t.Errorf("beside the output: %s", got)
	}
	if log, err = run(t, plan); err != nil || log != "" {
		t.Errorf("second run: error %v, output %q; want neither", err, log)
	}
}

func TestFailedBuildChangesNothing(t *testing.T) {
	plan := small(t, "good")
	if _, err := run(t, plan); err != nil {
		t.Fatal(err)
	}
	stamp := read(t, plan.Out, stampName)
	plan.Commands = append(plan.Commands, Command{Name: "broken", Package: "./cmd/broken"})
	_, err := run(t, plan)
	if !errors.Is(err, ErrCompile) {
		t.Fatalf("error %v, want %v", err, ErrCompile)
	}
	if !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("the compiler's words are missing: %v", err)
	}
	if read(t, plan.Out, stampName) != stamp {
		t.Error("the stamp of the earlier build is gone")
	}
	if got := siblings(t, plan); got != ".out.lock out" {
		t.Errorf("beside the output: %s", got)
	}
}

func TestKilledBuildIsNotTakenForDone(t *testing.T) {
	plan := small(t, "good")
	rest := filepath.Join(filepath.Dir(plan.Out), ".out.work", "good")
	if err := os.MkdirAll(filepath.Dir(rest), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rest, []byte("half"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, plan); err != nil {
		t.Fatal(err)
	}
	if read(t, plan.Out, "good") == "half" {
		t.Error("the rest of a killed build was used")
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	unknown := small(t)
	unknown.Commands = []Command{{Name: "x", Package: "example.com/nowhere/x"}}
	if _, err := run(t, unknown); !errors.Is(err, ErrModules) {
		t.Errorf("a module that cannot be fetched: %v, want %v", err, ErrModules)
	}
	nowhere := small(t)
	nowhere.Module = t.TempDir()
	if _, err := run(t, nowhere); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no module: %v, want %v", err, os.ErrNotExist)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := run(t, small(t, "good")); !errors.Is(err, ErrNoGo) {
		t.Errorf("no go command: %v, want %v", err, ErrNoGo)
	}
}

func TestStoppedBuildSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	plan := small(t, "good")
	tool, err := newToolchain(t.Context(), plan.Module)
	if err != nil {
		t.Fatal(err)
	}
	err = tool.fetch(ctx, plan, &output{})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrModules) {
		t.Errorf("error %v, want %v and no blame on the network", err, context.Canceled)
	}
}

func TestDigestFollowsEveryInput(t *testing.T) {
	plan := small(t, "good")
	before, err := plan.digest("go1.26.8 linux amd64")
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]struct {
		change func(t *testing.T, p *Plan) string
		differ bool
		reason string
	}{
		"nothing":   {func(*testing.T, *Plan) string { return "go1.26.8 linux amd64" }, false, "same inputs"},
		"toolchain": {func(*testing.T, *Plan) string { return "go1.26.9 linux amd64" }, true, "another compiler"},
		"command": {func(_ *testing.T, p *Plan) string {
			p.Commands = append(p.Commands, Command{Name: "x", Package: "example.com/x"})
			return "go1.26.8 linux amd64"
		}, true, "one more binary"},
		"release": {func(_ *testing.T, p *Plan) string { p.Release = "example.com/y"; return "go1.26.8 linux amd64" }, true, "another version is stamped"},
		"go.mod":  {editor("go.mod"), true, "other modules"},
		"go.sum":  {editor("go.sum"), true, "other contents of modules"},
		"source":  {editor("cmd/good/main.go"), true, "one of our own commands"},
		"other":   {editor("notes.txt"), false, "not built from"},
	}
	for name, test := range changes {
		t.Run(name, func(t *testing.T) {
			changed := small(t, "good")
			toolchain := test.change(t, &changed)
			after, err := changed.digest(toolchain)
			if err != nil {
				t.Fatal(err)
			}
			if (before != after) != test.differ {
				t.Errorf("digest differs %t, want %t: %s", before != after, test.differ, test.reason)
			}
		})
	}
}

// editor appends to a file of the module.
func editor(name string) func(*testing.T, *Plan) string {
	return func(t *testing.T, p *Plan) string {
		file, err := os.OpenFile(filepath.Join(p.Module, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString("// changed\n"); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		return "go1.26.8 linux amd64"
	}
}

func TestDeletedBinaryIsBuiltAgain(t *testing.T) {
	plan := small(t, "good")
	if _, err := run(t, plan); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(plan.Out, "good")); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, plan); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(plan.Out, "good")); err != nil {
		t.Error(err)
	}
}

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := acquire(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan struct{})
	second := make(chan error, 1)
	go func() {
		unlock, err := acquire(t.Context(), path, func() { close(waiting) })
		if err == nil {
			unlock()
		}
		second <- err
	}()
	deadline := time.After(20 * time.Second)
	select {
	case <-waiting:
	case err := <-second:
		t.Fatalf("two have the lock at once: %v", err)
	case <-deadline:
		t.Fatal("the second neither waits nor gets the lock")
	}
	unlock()
	select {
	case err := <-second:
		if err != nil {
			t.Error(err)
		}
	case <-deadline:
		t.Fatal("the second never gets the lock")
	}
	held, err := acquire(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = acquire(ctx, path, cancel)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped while waiting: %v, want %v", err, context.Canceled)
	}
}

func TestOutputIsCountedOrKept(t *testing.T) {
	seen := &output{}
	for _, part := range []string{"go: downloading example.com/a v1", ".0.0\nexample.com/a/b\n", "\n# example.com/a/b\n./x.go:3:4: undefined: y\nexam", "ple.com/c\n"} {
		if _, err := seen.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := seen.String(), "1 modules fetched, 2 packages compiled"; got != want {
		t.Errorf("progress %q, want %q", got, want)
	}
	if got, want := strings.Join(seen.remaining, "|"), "# example.com/a/b|./x.go:3:4: undefined: y"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestReleaseIsStamped(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tool, err := newToolchain(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	flags, err := tool.linkerFlags(t.Context(), ControlPlane(root, ""))
	if err != nil {
		t.Fatal(err)
	}
	const pkg = "k8s.io/component-base/version"
	for _, want := range []string{"-X " + pkg + ".gitVersion=v1.36.3", "-X " + pkg + ".gitMajor=1", "-X " + pkg + ".gitMinor=36"} {
		if !strings.Contains(flags, want) {
			t.Errorf("linker flags lack %q: %s", want, flags)
		}
	}
}
