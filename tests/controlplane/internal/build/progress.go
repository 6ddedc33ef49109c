// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress reports steps: which of how many, what, and for how long already. A
// terminal shows one line that counts seconds; a log gets a line at the start,
// one every half minute (a silent log looks like a hang) and one at the end.
type progress struct {
	out      io.Writer
	terminal bool
	total    int
	current  int
	started  time.Time
}

func newProgress(out io.Writer, total int) *progress {
	p := &progress{out: out, total: total, started: time.Now()}
	if file, ok := out.(*os.File); ok {
		info, err := file.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	fmt.Fprintln(out, "building the embedded control plane, once (about five minutes on two cores when nothing is cached)")
	return p
}

func (p *progress) step(name string, work func(*output) error) error {
	p.current++
	seen := &output{}
	started := time.Now()
	result := make(chan error, 1)
	go func() { result <- work(seen) }()

	every := 30 * time.Second
	if p.terminal {
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	p.show(name, "…", seen, started)
	for {
		select {
		case <-tick.C:
			p.show(name, "…", seen, started)
		case err := <-result:
			p.show(name, outcome(err), seen, started)
			if p.terminal {
				fmt.Fprintln(p.out)
			}
			return err
		}
	}
}

func outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "done"
}

func (p *progress) show(name, state string, seen *output, started time.Time) {
	line := fmt.Sprintf("[%d/%d] %-24s %-6s %4d s", p.current, p.total, name, state, int(time.Since(started).Seconds()))
	if detail := seen.String(); detail != "" {
		line += "  " + detail
	}
	if p.terminal {
		// Return to the start of the line and wipe what a longer one left.
		fmt.Fprintf(p.out, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(p.out, line)
}

func (p *progress) done(folder string) {
	fmt.Fprintf(p.out, "built %s in %d s\n", folder, int(time.Since(p.started).Seconds()))
}
