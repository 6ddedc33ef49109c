// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// BenchmarkWriteByAccount says what the policy for observers costs everybody
// else: a write by a service account that is none, without and with the policy,
// in a namespace and a cluster with as many bindings as a busy one has.
func BenchmarkWriteByAccount(b *testing.B) {
	c := installed(b)
	namespace := cluster.Namespace(b, c)
	furnish(b, c, namespace)
	name := account(b, c, namespace, false, everything...)
	crowd(b, c, namespace, 300)
	plain := client(b, withToken(b, c, namespace, name))
	observer := client(b, withToken(b, c, namespace, account(b, c, namespace, true, everything...)))
	for _, state := range []struct {
		name    string
		denying bool
	}{{"without the policy", false}, {"with the policy", true}} {
		b.Run(state.name, func(b *testing.B) {
			enforce(b, c, state.denying)
			eventually(b, state.name, func(ctx context.Context) (bool, error) {
				err := writes["patch"](ctx, observer, namespace, nil)
				return refusedByPolicy(err) == state.denying, err
			})
			before, writesDone := serverTime(b, c), 0
			for b.Loop() {
				// Twice, so that each write changes something.
				for _, write := range []string{"patch", "apply"} {
					if err := writes[write](b.Context(), plain, namespace, nil); err != nil {
						b.Fatal(err)
					}
					writesDone++
				}
			}
			// Wall time says more about who else uses the machine.
			spent := serverTime(b, c) - before
			b.ReportMetric(float64(spent.Microseconds())/float64(writesDone), "server-cpu-µs/write")
		})
	}
}

// serverTime is the processor time that the API server has used so far, zero
// where there is no /proc to ask.
func serverTime(b *testing.B, c *cluster.Cluster) time.Duration {
	b.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range found {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte("kube-apiserver\x00")) || !bytes.Contains(line, []byte(c.Dir())) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		if err != nil {
			b.Fatal(err)
		}
		// After the name in brackets: state and ten fields, then user and
		// system time in hundredths of a second.
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		return time.Duration(user+system) * 10 * time.Millisecond
	}
	return 0
}

// crowd makes bindings that are about nobody here.
func crowd(b *testing.B, c *cluster.Cluster, namespace string, bindings int) {
	b.Helper()
	for i := range bindings {
		name := fmt.Sprintf("nobody-%d", i)
		bind(b, admin(b, c), namespace, name, rbacv1.RoleRef{Kind: "ClusterRole", Name: "view"})
	}
}

// enforce binds the policy or takes its binding away.
func enforce(b *testing.B, c *cluster.Cluster, denying bool) {
	b.Helper()
	if denying {
		if err := c.ApplyDir(b.Context(), "../../config/policy", manager); err != nil {
			b.Fatal(err)
		}
		return
	}
	err := admin(b, c).AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Delete(b.Context(), policyName, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		b.Fatal(err)
	}
}
