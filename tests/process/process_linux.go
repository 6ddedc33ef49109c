// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes puts the child into a process group of its own (a Ctrl-C on the
// terminal reaches us only, and we stop the children in order) and has the
// kernel kill it when its parent thread dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// spawner runs functions on one thread that lives as long as the process.
// Pdeathsig is bound to the thread that forked, and Go ends idle threads: from
// an ordinary goroutine the children would be killed at some random moment.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func spawn(start func() error) error {
	result := make(chan error)
	spawner() <- func() { result <- start() }
	return <-result
}

// Reservation holds a loopback port.
type Reservation struct {
	Port int
	fd   int
}

// Reserve takes a free loopback port and keeps it until Release. The socket is
// bound with SO_REUSEPORT and does not listen: a program of the same user that
// sets the option too can serve on the port, the kernel gives it to nobody
// else, and while that program is down a connection is refused as it should be.
func Reserve() (*Reservation, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserving a port: %w", err)
	}
	port, err := bindLoopback(fd)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("reserving a port: %w", err)
	}
	return &Reservation{Port: port, fd: fd}, nil
}

func bindLoopback(fd int) (int, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	bound, ok := address.(*unix.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("the socket is bound to a %T, want an IPv4 address", address)
	}
	return bound.Port, nil
}

// Release gives the port back.
func (r *Reservation) Release() error { return unix.Close(r.fd) }
