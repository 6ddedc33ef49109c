// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// maxSaid bounds what is kept of git's error output.
const maxSaid = 8 << 10

// graceful is how long a killed git may take to give back its pipes.
const graceful = 5 * time.Second

// program is the git executable with the environment that every call gets.
type program struct {
	path string
	env  []string
}

// findProgram looks for git on PATH, and whether it runs.
func findProgram(ctx context.Context, dir string, env []string) (*program, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("the git program is needed and was not found on PATH (or start with --git-client=gogit): %w", err)
	}
	p := &program{path: path, env: env}
	if _, err := p.output(ctx, call{dir: dir, args: []string{"version"}, limit: 1 << 10}); err != nil {
		return nil, fmt.Errorf("the git program %s does not run: %w", path, err)
	}
	return p, nil
}

// call is one run of git inside a mirror.
type call struct {
	dir      string   // the mirror
	settings settings // of the remote, beyond the fixed ones; nil for local calls
	args     []string
	limit    int64 // of the output, in bytes
}

// output runs git to its end and gives what it printed.
func (p *program) output(ctx context.Context, c call) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	command := p.command(ctx, c)
	out := &bounded{limit: c.limit, exceeded: func() {
		cancel(&Error{Fault: TooLarge, Message: fmt.Sprintf("git %s printed more than %d bytes", c.args[0], c.limit)})
	}}
	said := &tail{}
	command.Stdout, command.Stderr = out, said
	if err := command.Run(); err != nil {
		return nil, failure(ctx, c, err, said)
	}
	return out.kept.Bytes(), nil
}

// command prepares git in a process group of its own, since git's helpers
// (git-remote-https, index-pack) outlive a signal to their parent.
func (p *program) command(ctx context.Context, c call) *exec.Cmd {
	command := exec.CommandContext(ctx, p.path, c.args...)
	command.Dir = c.dir
	command.Env = append(append([]string{}, p.env...), c.settings.environment(c.dir)...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = graceful
	return command
}

// failure tells a run that was ended from one that ended badly.
func failure(ctx context.Context, c call, err error, said *tail) error {
	if why := ended(ctx); why != nil {
		return why
	}
	text := said.String()
	message := oneLine(text)
	if message == "" {
		message = fmt.Sprintf("git %s failed: %v", c.args[0], err)
	}
	fault := classify(text)
	if c.settings == nil && fault == Unreachable {
		// A call without a remote has only our own disk to blame.
		fault = Broken
	}
	return &Error{Fault: fault, Message: message, Cause: err}
}

// exitCode gives git's exit code, or -1 where git did not exit by itself.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// bounded collects output up to a limit, and reports the first byte past it. The
// buffer is no embedded field: its ReadFrom would go round the limit.
type bounded struct {
	kept     bytes.Buffer
	limit    int64
	exceeded func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(b.kept.Len()+len(p)) > b.limit {
		b.exceeded()
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(p)
}

// tail keeps the end of a text: git names the cause last.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - maxSaid; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }
