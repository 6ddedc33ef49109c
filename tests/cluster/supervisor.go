// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/process"
)

// grace is how long a component may take to end by itself. It is short: an API
// server waits a minute for whoever still watches, and its data is thrown away.
const grace = 2 * time.Second

// errStopped is what a start meets that comes after the end.
var errStopped = errors.New("the control plane has been stopped")

// supervisor knows the components that run, and which of them failed first.
type supervisor struct {
	mu      sync.Mutex
	running []*process.Process
	stopped bool
	err     error
	failed  chan struct{}
}

func newSupervisor() *supervisor { return &supervisor{failed: make(chan struct{})} }

// start runs a component and watches it.
func (s *supervisor) start(command process.Command) (*process.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, errStopped
	}
	p, err := process.Start(command)
	if err != nil {
		return nil, err
	}
	s.running = append(s.running, p)
	go func() {
		<-p.Done()
		s.ended(p)
	}()
	return p, nil
}

func (s *supervisor) ended(p *process.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = slices.DeleteFunc(s.running, func(other *process.Process) bool { return other == p })
	// Only the first failure is a cause: without etcd, all others follow.
	if err := p.Err(); err != nil && s.err == nil && !s.stopped {
		s.err = err
		close(s.failed)
	}
}

// find returns the running component of that name, or nil.
func (s *supervisor) find(name string) *process.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.running {
		if p.Name() != name {
			continue
		}
		select {
		case <-p.Done():
			// It has ended just now, and its watcher waits for our lock.
		default:
			return p
		}
	}
	return nil
}

// failure is why the first component ended that should not have.
func (s *supervisor) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// stopAll ends everything, the last started first, so that nobody loses the
// server that it is talking to, and returns when all are gone.
func (s *supervisor) stopAll() {
	s.mu.Lock()
	s.stopped = true
	running := slices.Clone(s.running)
	s.mu.Unlock()
	slices.Reverse(running)
	for _, p := range running {
		p.Stop(grace)
	}
}
