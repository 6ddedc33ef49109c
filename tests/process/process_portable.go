// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package process

import (
	"fmt"
	"net"
	"syscall"
)

// attributes asks for nothing: only Linux ties a child's life to its parent's.
func attributes() *syscall.SysProcAttr { return nil }

func spawn(start func() error) error { return start() }

// Reservation names a loopback port.
type Reservation struct {
	Port int
}

// Reserve finds a free loopback port. It cannot be held here while another
// program serves on it, so a race with other programs remains.
func Reserve() (*Reservation, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("reserving a port: %w", err)
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("reserving a port: listening on a %T, want a TCP address", listener.Addr())
	}
	return &Reservation{Port: address.Port}, nil
}

// Release has nothing to give back.
func (r *Reservation) Release() error { return nil }
