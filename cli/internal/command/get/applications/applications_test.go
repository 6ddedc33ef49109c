// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package applications

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

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

func TestFlags(t *testing.T) {
	tests := map[string]struct {
		reason  string
		args    []string
		want    Options
		refused bool
	}{
		"nothing":        {reason: "a table of the namespace", want: Options{Names: []string{}, Format: screen.Table}},
		"all, wide":      {reason: "kubectl's letters", args: []string{"-A", "-o", "wide"}, want: Options{Names: []string{}, AllNamespaces: true, Format: screen.Wide}},
		"by name":        {reason: "several names", args: []string{"a", "b", "-oname"}, want: Options{Names: []string{"a", "b"}, Format: screen.Name}},
		"unknown format": {reason: "named before anything is asked", args: []string{"-o", "xml"}, refused: true},
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

// store is a source with fixed content.
type store struct{ apps []v1alpha1.Application }

var errNotThere = errors.New("not there")

func (s store) Namespace() string { return "users" }

func (s store) Applications(_ context.Context, namespace string) ([]v1alpha1.Application, error) {
	var found []v1alpha1.Application
	for _, a := range s.apps {
		if namespace == "" || a.Namespace == namespace {
			found = append(found, a)
		}
	}
	return found, nil
}

func (s store) Application(_ context.Context, namespace, name string) (*v1alpha1.Application, error) {
	for i := range s.apps {
		if s.apps[i].Namespace == namespace && s.apps[i].Name == name {
			return &s.apps[i], nil
		}
	}
	return nil, errNotThere
}

func app(namespace, name string) v1alpha1.Application {
	return v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestGet(t *testing.T) {
	full := store{apps: []v1alpha1.Application{app("users", "web"), app("users", "api"), app("billing", "invoices")}}
	tests := map[string]struct {
		reason  string
		source  store
		options Options
		out     []string
		err     string
		failure error
	}{
		"namespace": {
			reason: "only the namespace of the context", source: full, options: Options{Format: screen.Name},
			out: []string{"application.drift.holdfast.dev/api", "application.drift.holdfast.dev/web"},
		},
		"all": {
			reason: "with their namespaces", source: full, options: Options{AllNamespaces: true, Format: screen.Table},
			out: []string{"NAMESPACE  NAME", "billing    invoices", "users      api", "users      web"},
		},
		"by name": {
			reason: "as asked", source: full, options: Options{Names: []string{"web"}, Format: screen.Name},
			out: []string{"application.drift.holdfast.dev/web"},
		},
		"name and all": {
			reason: "a name is not unique over namespaces", source: full,
			options: Options{Names: []string{"web"}, AllNamespaces: true}, failure: errNamesAndAll,
		},
		"not there": {reason: "the source's error is the answer", source: full, options: Options{Names: []string{"nope"}}, failure: errNotThere},
		"empty":     {reason: "said where it does not get into a pipe", options: Options{Format: screen.Table}, err: "No applications in namespace users."},
		"empty list": {
			reason: "a program gets an empty list", options: Options{Format: screen.JSON}, out: []string{"\"items\": []"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			o := tc.options
			o.Connect = func() (Source, error) { return tc.source, nil }
			o.Terminal = terminal.Terminal{Out: &out, Err: &errs, Now: func() time.Time { return time.Unix(0, 0) }}
			if err := get(context.Background(), o); !errors.Is(err, tc.failure) {
				t.Fatalf("%s: error %v, want %v", tc.reason, err, tc.failure)
			}
			rest := out.String()
			for _, line := range tc.out {
				_, after, found := strings.Cut(rest, line)
				if !found {
					t.Fatalf("%s: %q is not in, or not in its place in:\n%s", tc.reason, line, out.String())
				}
				rest = after
			}
			if !strings.HasPrefix(errs.String(), tc.err) {
				t.Errorf("%s: stderr %q, want %q", tc.reason, errs.String(), tc.err)
			}
		})
	}
}
