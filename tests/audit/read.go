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

// Read returns the answered requests of a log file, in the log's order. A last
// line without its end is being written and is left for the next Read.
func Read(path string) ([]Event, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	defer file.Close()
	events, err := parse(file)
	if err != nil {
		return nil, fmt.Errorf("audit log %s: %w", path, err)
	}
	return events, nil
}

func parse(r io.Reader) ([]Event, error) {
	// No Scanner: at level Request a line is as long as the largest object.
	lines := bufio.NewReaderSize(r, 1<<16)
	var events []Event
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		// Most lines of a busy log are other stages when the policy keeps
		// them: look before decoding.
		if !bytes.Contains(line, []byte(`"`+complete+`"`)) {
			continue
		}
		var seen record
		if err := json.Unmarshal(line, &seen); err != nil {
			return nil, fmt.Errorf("line %d: %w: %w", number, ErrMalformed, err)
		}
		if seen.Stage == complete {
			events = append(events, seen.event())
		}
	}
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
