// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// complete is the stage at which a request has been answered.
const complete = "ResponseComplete"

// ErrMalformed means that a line is no audit event.
var ErrMalformed = errors.New("not an audit event")

// record is the part of audit.k8s.io/v1's Event that we read.
type record struct {
	AuditID          string    `json:"auditID"`
	Stage            string    `json:"stage"`
	RequestURI       string    `json:"requestURI"`
	Verb             string    `json:"verb"`
	User             identity  `json:"user"`
	ImpersonatedUser *identity `json:"impersonatedUser"`
	UserAgent        string    `json:"userAgent"`
	ObjectRef        reference `json:"objectRef"`
	ResponseStatus   struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	// RequestObject is there from level Request on.
	RequestObject            json.RawMessage `json:"requestObject"`
	RequestReceivedTimestamp time.Time       `json:"requestReceivedTimestamp"`
	StageTimestamp           time.Time       `json:"stageTimestamp"`
}

type identity struct {
	Username string `json:"username"`
}

type reference struct {
	APIGroup    string `json:"apiGroup"`
	APIVersion  string `json:"apiVersion"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
}

// Log is a log file that is read again and again while it grows. It goes on
// where it stopped: reading tens of megabytes anew for each proof was most of
// what the tests computed. It may be used by several goroutines.
type Log struct {
	Path string

	mu     sync.Mutex
	offset int64 // of the first byte that was not read
	lines  int
	events []Event
}

// Read returns the answered requests of a log file, in the log's order. A last
// line without its end is being written and is left for the next Read.
func Read(path string) ([]Event, error) { return (&Log{Path: path}).Read() }

// Read returns all answered requests so far, in the log's order, as Read does.
// The events are not to be changed.
func (l *Log) Read() ([]Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.Open(l.Path)
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	if err := l.parse(file); err != nil {
		return nil, fmt.Errorf("audit log %s: %w", l.Path, err)
	}
	return slices.Clip(l.events), nil
}

func (l *Log) parse(r io.Reader) error {
	// No Scanner: at level Request a line is as long as the largest object.
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", l.lines+1, err)
		}
		if err := l.take(line); err != nil {
			return fmt.Errorf("line %d: %w", l.lines+1, err)
		}
		l.offset, l.lines = l.offset+int64(len(line)), l.lines+1
	}
}

func (l *Log) take(line []byte) error {
	// Most lines of a busy log are other stages when the policy keeps them:
	// look before decoding.
	if !bytes.Contains(line, []byte(`"`+complete+`"`)) {
		return nil
	}
	var seen record
	if err := json.Unmarshal(line, &seen); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if seen.Stage == complete {
		l.events = append(l.events, seen.event())
	}
	return nil
}

func (r record) event() Event {
	event := Event{
		ID:         r.AuditID,
		User:       r.User.Username,
		UserAgent:  r.UserAgent,
		Verb:       r.Verb,
		RequestURI: r.RequestURI,
		Object: Object{
			Group: r.ObjectRef.APIGroup, Version: r.ObjectRef.APIVersion,
			Resource: r.ObjectRef.Resource, Subresource: r.ObjectRef.Subresource,
			Namespace: r.ObjectRef.Namespace, Name: r.ObjectRef.Name,
		},
		Code:      r.ResponseStatus.Code,
		Received:  r.RequestReceivedTimestamp,
		Completed: r.StageTimestamp,
	}
	if r.ImpersonatedUser != nil {
		event.ImpersonatedUser = r.ImpersonatedUser.Username
	}
	event.DryRun = slices.Contains(event.query()["dryRun"], "All") || r.deletesDry()
	return event
}

// deletesDry reads a delete's options, which travel as the body.
func (r record) deletesDry() bool {
	if r.Verb != "delete" && r.Verb != "deletecollection" || len(r.RequestObject) == 0 {
		return false
	}
	var options struct {
		DryRun []string `json:"dryRun"`
	}
	// A body of another shape is no DeleteOptions and asks for no dry run.
	if err := json.Unmarshal(r.RequestObject, &options); err != nil {
		return false
	}
	return slices.Contains(options.DryRun, "All")
}
