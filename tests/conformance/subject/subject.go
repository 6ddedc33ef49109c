// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/holdfast-gitops/holdfast/tests/process"
)

// Namespace is the one that the process believes to run in.
const Namespace = "holdfast-system"

// Options say what to run and where.
type Options struct {
	Name       string // for logs
	Binary     string
	Kubeconfig string
	Dir        string   // for storage, temporary files and the log
	Flags      []string // after our own, so that they win
}

// Subject is a source-controller that may be stopped and started again: it then
// finds its storage and serves under the same addresses.
type Subject struct {
	options Options
	process *process.Process
	limit   int64 // of a file, in bytes; zero for none

	Storage string // its folder
	Address string // of its artifacts
	Health  string
	Metrics string
}

// New prepares a subject without starting it.
func New(o Options) (*Subject, error) {
	s := &Subject{options: o, Storage: filepath.Join(o.Dir, "data")}
	for _, address := range []*string{&s.Address, &s.Health, &s.Metrics} {
		var err error
		if *address, err = freeAddress(); err != nil {
			return nil, err
		}
	}
	return s, errorsOf(os.MkdirAll(s.Storage, 0o700), os.MkdirAll(s.temporary(), 0o700))
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("folder of a subject: %w", err)
		}
	}
	return nil
}

func (s *Subject) temporary() string { return filepath.Join(s.options.Dir, "tmp") }

// Log is the file of its output.
func (s *Subject) Log() string { return filepath.Join(s.options.Dir, s.options.Name+".log") }

// LimitFiles bounds the size of every file that the process writes from its next
// start on; zero for no bound.
func (s *Subject) LimitFiles(bytes int64) { s.limit = bytes }

// Start runs the binary until Stop.
func (s *Subject) Start(extra ...string) error {
	if err := os.MkdirAll(s.Storage, 0o700); err != nil {
		return fmt.Errorf("folder of a subject: %w", err)
	}
	args := []string{
		"--storage-path=" + s.Storage, "--storage-addr=" + s.Address, "--storage-adv-addr=" + s.Address,
		"--health-addr=" + s.Health, "--metrics-addr=" + s.Metrics, "--log-encoding=json", "--enable-leader-election=false",
	}
	args = append(append(args, s.options.Flags...), extra...)
	binary := s.options.Binary
	if s.limit > 0 {
		// The shell's unit is a block of 512 bytes, as POSIX has it.
		script := fmt.Sprintf("ulimit -f %d; exec \"$@\"", s.limit/512)
		args = append([]string{"-c", script, "sh", binary}, args...)
		binary = "/bin/sh"
	}
	p, err := process.Start(process.Command{
		Name: s.options.Name, Path: binary, Args: args, Log: s.Log(),
		Env: []string{
			"KUBECONFIG=" + s.options.Kubeconfig, "PATH=" + os.Getenv("PATH"), "RUNTIME_NAMESPACE=" + Namespace,
			"TMPDIR=" + s.temporary(), "TUF_ROOT=" + s.temporary(), "HOME=" + s.temporary(),
		},
	})
	if err != nil {
		return err
	}
	s.process = p
	return nil
}

// Stop ends the process as an update does.
func (s *Subject) Stop() { s.process.Stop(15 * time.Second) }

// Become makes the next start run another binary, on the same folders.
func (s *Subject) Become(binary string) { s.options.Binary = binary }

// Kill ends it as a crash does.
func (s *Subject) Kill() { s.process.Stop(0) }

// Err tells of an end that nobody asked for.
func (s *Subject) Err() error { return s.process.Err() }

// Done is closed when the process has ended.
func (s *Subject) Done() <-chan struct{} { return s.process.Done() }

// Tail is the end of the log.
func (s *Subject) Tail() string { return s.process.Tail() }

// Ready asks the health endpoint until it answers or the context ends.
func (s *Subject) Ready(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := probe(ctx, "http://"+s.Health+"/readyz")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not become ready: %w; %s", s.options.Name, err, s.Tail())
		case <-s.Done():
			return fmt.Errorf("%s ended: %w", s.options.Name, s.process.Err())
		case <-tick.C:
		}
	}
}

func probe(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}
