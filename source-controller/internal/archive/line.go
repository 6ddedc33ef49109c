// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
)

// maxAtOnce bounds the members that are compressed at the same time, and with
// them the memory: each holds its content and what becomes of it.
const maxAtOnce = 4

// line compresses members on all cores and writes them in order: while one is
// compressed, the next is read.
type line struct {
	w       io.Writer
	width   int
	pending []*job // started, oldest first
	idle    []*job // for the next ones, with their buffers
}

// job is one member under way.
type job struct {
	key     key
	content bytes.Buffer
	deflate deflater
	done    chan struct{}
	member  []byte
	err     error
}

func newLine(w io.Writer) *line {
	return &line{w: w, width: min(runtime.GOMAXPROCS(0), maxAtOnce)}
}

// next gives a job to fill.
func (l *line) next() *job {
	if last := len(l.idle) - 1; last >= 0 {
		j := l.idle[last]
		l.idle = l.idle[:last]
		return j
	}
	return &job{}
}

// start compresses a job while the caller goes on, and writes those that are due.
func (l *line) start(j *job) error {
	j.done = make(chan struct{})
	go func() {
		defer close(j.done)
		j.member, j.err = j.deflate.member(j.key, j.content.Bytes())
	}()
	l.pending = append(l.pending, j)
	if len(l.pending) < l.width {
		return nil
	}
	return l.writeFirst()
}

func (l *line) writeFirst() error {
	j := l.pending[0]
	l.pending = l.pending[1:]
	<-j.done
	if j.err != nil {
		return fmt.Errorf("cannot compress: %w", j.err)
	}
	if _, err := l.w.Write(j.member); err != nil {
		return err
	}
	j.content.Reset()
	l.idle = append(l.idle, j)
	return nil
}

// drain writes all that was started.
func (l *line) drain() error {
	for len(l.pending) > 0 {
		if err := l.writeFirst(); err != nil {
			return err
		}
	}
	return nil
}

// leave waits for what is under way after a failure: nothing of it is written.
func (l *line) leave() {
	for _, j := range l.pending {
		<-j.done
	}
}
