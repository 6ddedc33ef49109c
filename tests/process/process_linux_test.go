// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestChildDiesWithAKilledParent(t *testing.T) {
	child := killedParent(t)
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for alive(child) {
		select {
		case <-deadline:
			_ = syscall.Kill(child, syscall.SIGKILL)
			t.Fatalf("child %d outlives its parent", child)
		case <-tick.C:
		}
	}
}

// alive takes a zombie for dead: in a container there may be no init that
// collects orphans.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestReservedPortRefusesStrangers(t *testing.T) {
	reservation, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	defer reservation.Release()
	address := fmt.Sprintf("127.0.0.1:%d", reservation.Port)
	if listener, err := net.Listen("tcp", address); err == nil {
		listener.Close()
		t.Errorf("a program that does not share ports got %s", address)
	}
	sharing := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var result error
		err := raw.Control(func(fd uintptr) {
			result = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		})
		if err != nil {
			return err
		}
		return result
	}}
	// Again and again, as an API server that comes back from an outage.
	for range 2 {
		listener, err := sharing.Listen(t.Context(), "tcp", address)
		if err != nil {
			t.Fatalf("the program that the port is for: %v", err)
		}
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Errorf("dialling it: %v", err)
		}
		if connection != nil {
			connection.Close()
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}
