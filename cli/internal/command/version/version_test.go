// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package version

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// server answers with fixed versions.
type server struct{ groups []string }

func (s server) Versions(context.Context) (cluster.Versions, error) {
	return cluster.Versions{Kubernetes: "v1.36.3", Groups: s.groups}, nil
}

var errConnected = errors.New("connected")

func TestShow(t *testing.T) {
	tests := map[string]struct {
		reason  string
		options Options
		want    string
		err     error
	}{
		"client": {
			reason:  "no cluster is needed, so none is asked for",
			options: Options{Connect: func() (Server, error) { return nil, errConnected }},
			want:    "holdfast dev (",
		},
		"server": {
			reason:  "both sides",
			options: Options{Server: true, Connect: func() (Server, error) { return server{[]string{"drift.holdfast.dev/v1alpha1"}}, nil }},
			want:    "cluster  v1.36.3 (drift.holdfast.dev/v1alpha1)\n",
		},
		"server without Holdfast": {
			reason:  "said in words",
			options: Options{Server: true, Connect: func() (Server, error) { return server{}, nil }},
			want:    "(Holdfast's API is not installed)",
		},
		"no server": {
			reason:  "asked for and not to be had",
			options: Options{Server: true, Connect: func() (Server, error) { return nil, errConnected }},
			err:     errConnected,
		},
		"json": {reason: "for programs", options: Options{Format: screen.JSON}, want: "\"platform\":"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			o := tc.options
			o.Release = "dev"
			o.Terminal = terminal.Terminal{Out: &out, Err: &out}
			if err := show(context.Background(), o); !errors.Is(err, tc.err) {
				t.Fatalf("%s: error %v, want %v", tc.reason, err, tc.err)
			}
			if !strings.Contains(out.String(), tc.want) {
				t.Errorf("%s: got %q, want %q in it", tc.reason, out.String(), tc.want)
			}
		})
	}
}
