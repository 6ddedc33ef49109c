// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrEnded is the kind of an end that nobody asked for.
var ErrEnded = errors.New("ended unexpectedly")

// Command is a program to run.
type Command struct {
	// Name is how errors and the log file call it.
	Name string
	Path string
	Args []string
	// Env is its whole environment: nothing of ours leaks in, so that a
	// KUBECONFIG or a proxy of the caller's shell changes nothing.
	Env []string
	// Log receives both outputs; a restarted program appends.
	Log string
}

// Process is a running or ended program.
type Process struct {
	command  Command
	cmd      *exec.Cmd
	done     chan struct{}
	exit     error
	stopping atomic.Bool
}

// Start runs the command in the background.
func Start(command Command) (*Process, error) {
	if err := os.MkdirAll(filepath.Dir(command.Log), 0o700); err != nil {
		return nil, fmt.Errorf("%s: folder of its log: %w", command.Name, err)
	}
	log, err := os.OpenFile(command.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: its log: %w", command.Name, err)
	}
	// The child has its own copy of the file.
	defer log.Close()

	p := &Process{command: command, done: make(chan struct{})}
	p.cmd = exec.Command(command.Path, command.Args...)
	p.cmd.Env = command.Env
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = attributes()
	if err := spawn(p.cmd.Start); err != nil {
		return nil, fmt.Errorf("starting %s: %w", command.Name, err)
	}
	go func() {
		p.exit = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Name is the command's.
func (p *Process) Name() string { return p.command.Name }

// PID is the program's process number, also after its end.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is nil while the program runs and after a Stop; otherwise it is
// ErrEnded, with the exit status and the end of the log.
func (p *Process) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	if p.stopping.Load() {
		return nil
	}
	status := "exit status 0"
	if p.exit != nil {
		status = p.exit.Error()
	}
	return fmt.Errorf("%s %w (%s); %s", p.command.Name, ErrEnded, status, p.Tail())
}

// Stop asks the program to end, kills it after the grace period and returns
// when it is gone.
func (p *Process) Stop(grace time.Duration) {
	p.stopping.Store(true)
	// An error means that it has ended already, or that this system has no
	// such signal; the kill below covers the second.
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
		return
	case <-timer.C:
	}
	_ = p.cmd.Process.Kill()
	<-p.done
}

// tailBytes bounds what an error carries of a log.
const tailBytes = 3000

// Tail is the end of the log, in a sentence that names the file.
func (p *Process) Tail() string {
	file, err := os.Open(p.command.Log)
	if err != nil {
		return "its log cannot be read: " + err.Error()
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "its log cannot be read: " + err.Error()
	}
	start := max(0, info.Size()-tailBytes)
	end, err := io.ReadAll(io.NewSectionReader(file, start, tailBytes))
	if err != nil {
		return "its log cannot be read: " + err.Error()
	}
	return fmt.Sprintf("the end of %s:\n%s", p.command.Log, end)
}
