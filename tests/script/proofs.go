// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

func neverRemoved(_ *testscript.TestScript, s *story, _ []string) error {
	var apps api.ApplicationList
	if err := s.space.Client.List(s.t.Context(), &apps); err != nil {
		return err
	}
	for _, app := range apps.Items {
		if app.Namespace != s.space.Namespace {
			continue
		}
		entries, err := s.space.Entries(s.t.Context(), app.Name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Class == api.ClassRemoved {
				return fmt.Errorf("%s reports as Removed:\n%s", app.Name, s.space.ReportText([]api.DriftEntry{e}))
			}
		}
	}
	return nil
}

func auditWrites(_ *testscript.TestScript, s *story, args []string) error {
	return s.counted(args, lab.Sent.Beyond)
}

// auditApplied waits for the count, since a write comes some time after its
// cause.
func auditApplied(_ *testscript.TestScript, s *story, args []string) error {
	return lab.Poll(s.t.Context(), func(context.Context) error {
		return s.counted(args, func(sent lab.Sent) []audit.Event { return sent.Applied })
	})
}

// auditPruned waits for the count of deletions.
func auditPruned(_ *testscript.TestScript, s *story, args []string) error {
	return lab.Poll(s.t.Context(), func(context.Context) error {
		return s.counted(args, func(sent lab.Sent) []audit.Event { return sent.Pruned })
	})
}

// counted compares a count with what the audit log has of this namespace.
func (s *story) counted(args []string, of func(lab.Sent) []audit.Event) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("%q is no count", args[0])
	}
	return proven(s.t.Context(), s.space.Lab, func(sent lab.Sent) error {
		if got := of(sent); len(got) != want {
			return fmt.Errorf("want %d persisting writes, got %d: %v", want, len(got), got)
		}
		return nil
	}, audit.InNamespace(s.space.Namespace))
}

// foreign: whatever the scripts did, nothing was written but by the accounts
// that an application names, and by each only what it is there for.
func foreign(ctx context.Context, l *lab.Lab) error {
	return proven(ctx, l, func(sent lab.Sent) error {
		if len(sent.Foreign) > 0 {
			return fmt.Errorf("persisting writes that no stage grants: %v", sent.Foreign)
		}
		return nil
	})
}

// proven asks the audit log.
func proven(ctx context.Context, l *lab.Lab, is func(lab.Sent) error, about ...audit.Match) error {
	sent, err := l.Sent(ctx, about...)
	switch {
	case errors.Is(err, cluster.ErrNotEmbedded):
		return nil // a cluster that is not ours keeps its log to itself
	case err != nil:
		return err
	case sent.Own == 0:
		return errors.New("not one status was written, so the audit log proves nothing")
	}
	return is(sent)
}

// apiServerGone is the one verb that lets time pass, since how long the server
// is away is what the story is about.
func apiServerGone(_ *testscript.TestScript, s *story, args []string) error {
	absence, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	if err := s.space.Cluster.StopAPIServer(); err != nil {
		return err
	}
	timer := time.NewTimer(absence)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.t.Context().Done():
	}
	return s.space.Cluster.StartAPIServer(s.t.Context())
}

func remember(_ *testscript.TestScript, s *story, args []string) (err error) {
	s.remembered[args[0]], err = s.space.Application(s.t.Context(), args[0])
	return err
}

func unmoved(_ *testscript.TestScript, s *story, args []string) error {
	before, ok := s.remembered[args[0]]
	if !ok {
		return fmt.Errorf("nothing is remembered of %s", args[0])
	}
	return s.space.Unmoved(s.t.Context(), before, args[1])
}

func killController(_ *testscript.TestScript, s *story, args []string) error {
	if s.space.Controllers.Process(args[0]) == nil {
		return fmt.Errorf("no controller %s runs", args[0])
	}
	s.space.Controllers.Kill(args[0])
	return nil
}

func startController(_ *testscript.TestScript, s *story, args []string) error {
	return s.space.Controllers.Start(s.t.Context(), args[0])
}
