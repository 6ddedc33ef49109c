// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestExplain(t *testing.T) {
	resource := schema.GroupResource{Group: "drift.holdfast.dev", Resource: "applications"}
	refused := &url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
	tests := map[string]struct {
		reason string
		err    error
		want   Kind
	}{
		"no CRDs":         {reason: "the group is not served", err: &apimeta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "Application"}}, want: NotInstalled},
		"forbidden":       {reason: "the rights to ask for", err: apierrors.NewForbidden(resource, "web", errors.New("no")), want: Forbidden},
		"unauthorized":    {reason: "log in", err: apierrors.NewUnauthorized("expired"), want: Unauthorized},
		"refused":         {reason: "no server there", err: fmt.Errorf("failed to get API group: %w", refused), want: Unreachable},
		"overloaded":      {reason: "a server that cannot answer", err: apierrors.NewServiceUnavailable("etcd"), want: Unreachable},
		"Ctrl-C":          {reason: "the user's own doing", err: fmt.Errorf("x: %w", context.Canceled), want: Interrupted},
		"anything":        {reason: "kept in its own words", err: errors.New("boom"), want: Other},
		"explained twice": {reason: "the first explanation stands", err: &Fault{Kind: NotFound}, want: NotFound},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got *Fault
			if err := (place{host: "https://x"}).explain(tc.err, "applications"); !errors.As(err, &got) || got.Kind != tc.want {
				t.Errorf("%s: got %#v, want kind %s", tc.reason, err, tc.want)
			}
		})
	}
}

// flagsWith gives the flags over a kubeconfig file, or over none.
func flagsWith(t *testing.T, kubeconfig string, args ...string) *Flags {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if kubeconfig != "" {
		if err := os.WriteFile(file, []byte(kubeconfig), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBECONFIG", file)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags := NewFlags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: prod, cluster: {server: "https://prod.example"}}]
users: [{name: me, user: {token: t}}]
contexts: [{name: prod, context: {cluster: prod, user: me, namespace: users}}]
current-context: prod
`

func TestFlags(t *testing.T) {
	tests := map[string]struct {
		reason     string
		kubeconfig string
		args       []string
		namespace  string
		want       Kind
		says       string
	}{
		"context":         {reason: "its namespace", kubeconfig: kubeconfig, namespace: "users"},
		"flag":            {reason: "-n wins", kubeconfig: kubeconfig, args: []string{"-n", "billing"}, namespace: "billing"},
		"none":            {reason: "not localhost:8080", want: NoConfig, says: "none was found"},
		"unknown context": {reason: "the ones that exist are named", kubeconfig: kubeconfig, args: []string{"--context", "prd"}, want: NoSuchContext, says: "prod"},
		"broken file":     {reason: "its own fault is told", kubeconfig: "{", want: NoConfig, says: "kubeconfig"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := flagsWith(t, tc.kubeconfig, tc.args...).Connect()
			if tc.want == "" {
				if err != nil || c.Namespace() != tc.namespace {
					t.Fatalf("%s: namespace %v, error %v", tc.reason, c, err)
				}
				return
			}
			var fault *Fault
			if !errors.As(err, &fault) || fault.Kind != tc.want || !strings.Contains(fault.Error(), tc.says) {
				t.Errorf("%s: error %v, want kind %s that says %q", tc.reason, err, tc.want, tc.says)
			}
		})
	}
}
