// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// envParent makes this test binary play the parent that is killed.
const envParent = "PROCESS_TEST_PARENT"

func TestMain(m *testing.M) {
	if folder := os.Getenv(envParent); folder != "" {
		parent(folder)
	}
	os.Exit(m.Run())
}

// parent starts a child, prints its number and waits to be killed.
func parent(folder string) {
	child, err := Start(shell(folder, "exec sleep 600"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(child.PID())
	<-child.Done()
	os.Exit(1)
}

func shell(folder, script string) Command {
	return Command{
		Name: "script", Path: "/bin/sh", Args: []string{"-c", script},
		Env: []string{"PATH=" + os.Getenv("PATH")}, Log: filepath.Join(folder, "logs", "script.log"),
	}
}

func start(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(shell(t.TempDir(), script))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	return p
}

// within waits for an event that has to come.
func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: not within 20 s", what)
	}
}

func TestUnexpectedEndShowsTheLog(t *testing.T) {
	scripts := map[string]struct{ script, want, reason string }{
		"failure": {"echo the port is taken >&2; exit 3", "exit status 3", "a status tells"},
		"success": {"echo the port is taken", "exit status 0", "a server that ends well ends too early all the same"},
		"signal":  {"echo the port is taken; kill -9 $$", "signal: killed", "somebody killed it"},
	}
	for name, test := range scripts {
		t.Run(name, func(t *testing.T) {
			p := start(t, test.script)
			within(t, "end", p.Done())
			err := p.Err()
			if !errors.Is(err, ErrEnded) {
				t.Fatalf("error %v, want %v", err, ErrEnded)
			}
			for _, part := range []string{"script", test.want, "the port is taken", p.command.Log} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not name %q (%s):\n%v", part, test.reason, err)
				}
			}
		})
	}
}

func TestTailIsBounded(t *testing.T) {
	p := start(t, "i=0; while [ $i -lt 500 ]; do echo line number $i; i=$((i+1)); done")
	within(t, "end", p.Done())
	tail := p.Tail()
	if !strings.Contains(tail, "line number 499") || strings.Contains(tail, "line number 10\n") || len(tail) > tailBytes+1000 {
		t.Errorf("the tail has %d bytes and ends with %q", len(tail), tail[len(tail)-40:])
	}
}

// awaitReady waits until the script has come to its last command.
func awaitReady(t *testing.T, p *Process) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(p.Tail(), "ready") {
		select {
		case <-deadline:
			t.Fatalf("the script does not get ready: %s", p.Tail())
		case <-tick.C:
		}
	}
}

func TestStopWaitsAndKills(t *testing.T) {
	scripts := map[string]struct {
		script string
		grace  time.Duration
		reason string
	}{
		"willing": {"echo ready; exec sleep 600", 20 * time.Second, "SIGTERM is enough"},
		"deaf":    {"trap '' TERM; echo ready; exec sleep 600", 100 * time.Millisecond, "the grace period ends"},
	}
	for name, test := range scripts {
		t.Run(name, func(t *testing.T) {
			p := start(t, test.script)
			awaitReady(t, p)
			began := time.Now()
			p.Stop(test.grace)
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("took %s: %s", took, test.reason)
			}
			if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d after Stop: %v, want it gone", p.PID(), err)
			}
			if err := p.Err(); err != nil {
				t.Errorf("an end that was asked for is an error: %v", err)
			}
			p.Stop(test.grace)
		})
	}
}

func TestEnvironmentIsTheCommandsOwn(t *testing.T) {
	t.Setenv("KUBECONFIG", "/somewhere")
	p := start(t, `echo "kubeconfig=$KUBECONFIG."`)
	within(t, "end", p.Done())
	if tail := p.Tail(); !strings.Contains(tail, "kubeconfig=.") {
		t.Errorf("the child sees our environment: %s", tail)
	}
}

func TestMissingProgram(t *testing.T) {
	_, err := Start(Command{Name: "none", Path: filepath.Join(t.TempDir(), "none"), Log: filepath.Join(t.TempDir(), "log")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want %v", err, os.ErrNotExist)
	}
}

func TestReservedPortServesOneAfterAnother(t *testing.T) {
	reservation, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(reservation.Port))
	if connection, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial while nobody serves: %v, %v; want the connection refused", connection, err)
	}
	other, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	if other.Port == reservation.Port {
		t.Errorf("port %d was given out twice", other.Port)
	}
	if err := errors.Join(reservation.Release(), other.Release()); err != nil {
		t.Error(err)
	}
}

// killedParent runs parent and kills it, and returns the child's number.
func killedParent(t *testing.T) int {
	t.Helper()
	self := exec.Command(os.Args[0])
	self.Env = append(os.Environ(), envParent+"="+t.TempDir())
	out, err := self.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The error is the kill.
	_ = self.Wait()
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the parent printed %q: %v", line, err)
	}
	return child
}
