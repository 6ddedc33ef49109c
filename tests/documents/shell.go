// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package documents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/process"
)

// Shell is one bash, in which variables, folders and jobs last from one command
// to the next.
type Shell struct {
	dir     string
	bash    *process.Process
	orders  *os.File
	count   int
	replace *strings.Replacer
}

// loop runs a file for each name that it reads, and says how it ended. The
// status appears at once, so that nobody reads half of it.
const loop = `while read -r file; do source "$file" >"$file.out" 2>&1 </dev/null; echo $? >"$file.s"; mv "$file.s" "$file.status"; done <"$1"`

// Open starts a shell in a folder. The pairs are words of the documents and what
// they are here, such as an address.
func Open(scratch, folder string, env, pairs []string) (*Shell, error) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, fmt.Errorf("the documents are written for bash: %w", err)
	}
	s := &Shell{dir: scratch, replace: strings.NewReplacer(pairs...)}
	pipe := filepath.Join(scratch, "orders")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		return nil, fmt.Errorf("the shell's input: %w", err)
	}
	// For both directions, since opening for one would wait for the other.
	if s.orders, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("the shell's input: %w", err)
	}
	s.bash, err = process.Start(process.Command{
		Name: "bash", Path: bash, Args: []string{"--noprofile", "--norc", "-c", `cd "$2" || exit; ` + loop, "documents", pipe, folder},
		Env: env, Log: filepath.Join(scratch, "bash.log"),
	})
	return s, err
}

// Close ends the shell, and the jobs that it has left.
func (s *Shell) Close(ctx context.Context) error {
	_, _, err := s.Run(ctx, "kill $(jobs -p) 2>/dev/null; wait; true")
	s.bash.Stop(2 * time.Second)
	return errors.Join(err, s.orders.Close())
}

// Run runs one command, and gives both its outputs as one and its exit code.
func (s *Shell) Run(ctx context.Context, command string) (output string, code int, err error) {
	s.count++
	file := filepath.Join(s.dir, fmt.Sprintf("command-%d", s.count))
	if err := os.WriteFile(file, []byte(s.replace.Replace(command)+"\n"), 0o600); err != nil {
		return "", 0, fmt.Errorf("handing over a command: %w", err)
	}
	if _, err := fmt.Fprintln(s.orders, file); err != nil {
		return "", 0, fmt.Errorf("handing over a command: %w", err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		status, err := os.ReadFile(file + ".status")
		if err == nil {
			code, err = strconv.Atoi(strings.TrimSpace(string(status)))
			text, failed := os.ReadFile(file + ".out")
			return string(text), code, errors.Join(err, failed)
		}
		select {
		case <-tick.C:
		case <-s.bash.Done():
			return "", 0, fmt.Errorf("the shell has ended: %w", s.bash.Err())
		case <-ctx.Done():
			text, _ := os.ReadFile(file + ".out") // what there is helps
			return string(text), 0, ctx.Err()
		}
	}
}

// Write writes a file of a document, in the folder where the shell is.
func (s *Shell) Write(ctx context.Context, name, text string) error {
	where, _, err := s.Run(ctx, "pwd")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(strings.TrimSpace(where), filepath.Clean("/"+name)), []byte(s.replace.Replace(text)), 0o600)
}
