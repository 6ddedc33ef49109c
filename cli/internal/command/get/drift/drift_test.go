// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestFlags(t *testing.T) {
	tests := map[string]struct {
		reason  string
		args    []string
		want    Options
		refused bool
	}{
		"name":     {reason: "the screen", args: []string{"web"}, want: Options{Name: "web", Format: screen.Table}},
		"all":      {reason: "each flag", args: []string{"web", "--explained", "--exit-code", "-o", "yaml"}, want: Options{Name: "web", Explained: true, ExitCode: true, Format: screen.YAML}},
		"no name":  {reason: "one application is a screen, none is not", refused: true},
		"no table": {reason: "wide would be the same as table", args: []string{"web", "-o", "wide"}, refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got Options
			cmd := New(terminal.Terminal{}, nil, func(_ context.Context, o Options) error { got = o; return nil })
			cmd.SetArgs(append([]string{}, tc.args...))
			cmd.SetOut(&bytes.Buffer{})
			cmd.SetErr(&bytes.Buffer{})
			if err := cmd.Execute(); (err != nil) != tc.refused {
				t.Fatalf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(Options{}, "Connect", "Terminal")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// store is a source with one application.
type store struct{ app v1alpha1.Application }

func (s store) Namespace() string { return "users" }

func (s store) Application(context.Context, string, string) (*v1alpha1.Application, error) {
	return &s.app, nil
}

func (s store) DriftPages(context.Context, *v1alpha1.Application) ([]v1alpha1.DriftReport, error) {
	return nil, nil
}

func judged(synced metav1.ConditionStatus, validUntil time.Time) v1alpha1.Application {
	return v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "users", Name: "web"},
		Status: v1alpha1.ApplicationStatus{
			Compared:   &v1alpha1.Compared{Revision: "main@sha1:abc", Time: metav1.NewTime(noon), ValidUntil: metav1.NewTime(validUntil)},
			Conditions: []metav1.Condition{{Type: contract.SyncedCondition, Status: synced}},
		},
	}
}

func TestExitCode(t *testing.T) {
	later, earlier := noon.Add(time.Hour), noon.Add(-time.Hour)
	tests := map[string]struct {
		reason string
		app    v1alpha1.Application
		ask    bool
		want   error
	}{
		"in sync":        {reason: "0", app: judged(metav1.ConditionTrue, later), ask: true},
		"differs":        {reason: "1", app: judged(metav1.ConditionFalse, later), ask: true, want: exit.ErrDifferent},
		"not asked":      {reason: "looking is no failure", app: judged(metav1.ConditionFalse, later)},
		"unknown":        {reason: "never green", app: judged(metav1.ConditionUnknown, later), ask: true, want: exit.ErrUndecided},
		"expired":        {reason: "a dead controller is not green for ever", app: judged(metav1.ConditionTrue, earlier), ask: true, want: exit.ErrUndecided},
		"never compared": {reason: "nothing was judged", app: v1alpha1.Application{}, ask: true, want: exit.ErrUndecided},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := get(context.Background(), Options{
				Name: "web", ExitCode: tc.ask, Connect: func() (Source, error) { return store{tc.app}, nil },
				Terminal: terminal.Terminal{Out: &out, Err: &out, Now: func() time.Time { return noon }},
			})
			if !errors.Is(err, tc.want) {
				t.Errorf("%s: error %v, want %v", tc.reason, err, tc.want)
			}
			if !strings.HasPrefix(out.String(), "Application ") {
				t.Errorf("%s: the screen is printed whatever the code, got %q", tc.reason, out.String())
			}
		})
	}
}
