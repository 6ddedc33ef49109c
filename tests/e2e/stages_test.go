// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// TestAStageIsAPermission: the same things happen to an application at each
// stage, an edit by hand, a deletion by hand, a commit that adds an object and
// one that drops one. The audit log has of each just what its stage grants.
func TestAStageIsAPermission(t *testing.T) {
	for _, stage := range []api.Stage{api.StageObserve, api.StageSync, api.StageSelfHeal, api.StagePrune} {
		t.Run(string(stage), func(t *testing.T) {
			s := lab.Get(t).Space(t, "")
			if !readsAuditLog(t, s) {
				return
			}
			push(t, s, "web", files{"deploy/web.yaml": web})
			deploy(t, s, "helm", web)
			must(t, s.Project(t.Context(), nil))
			spec := "{project: " + s.Namespace + ", stage: " + string(stage) + ", identity: {apply: deployer, prune: pruner}, prune: {quarantine: 0s}}"
			must(t, s.Declare(t.Context(), "web", "deploy", []byte(spec)))
			must(t, s.AtStage(t.Context(), "web", stage))
			must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "True"}))

			kube, err := kubernetes.NewForConfig(s.Cluster.AdminConfig())
			must(t, err)
			must(t, kube.AppsV1().Deployments(s.Namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
			deploy(t, s, "kubectl-edit", "{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {DB_HOST: other, LEVEL: info}}")
			push(t, s, "flags", files{"deploy/web.yaml": web, "deploy/flags.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: flags}, data: {A: enabled}}"})

			want, wrote := "False", map[string]int{}
			switch stage {
			case api.StageSync:
				wrote = map[string]int{"flags": 1}
			case api.StageSelfHeal:
				want, wrote = "True", map[string]int{"flags": 1, "env": 1, "web": 1}
			case api.StagePrune:
				want, wrote = "True", map[string]int{"flags": 1, "env": 1, "web": 1}
			case api.StageObserve:
			}
			must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: want}))
			settledWrites(t, s, wrote, 0)
			if stage == api.StageObserve {
				return // it has made nothing that Git could drop
			}
			push(t, s, "no flags", files{"deploy/web.yaml": web})
			pruned, synced := 0, "False" // what Git dropped stays, and is said
			if stage == api.StagePrune {
				pruned, synced = 1, "True"
			}
			must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: synced}))
			settledWrites(t, s, wrote, pruned)
		})
	}
}

// settledWrites waits until the audit log has these writes, by the name of the
// object, and so many deletions, and wants no other of any kind.
func settledWrites(t *testing.T, s *lab.Space, want map[string]int, pruned int) {
	t.Helper()
	must(t, lab.Poll(t.Context(), func(ctx context.Context) error {
		sent, err := s.Sent(ctx, audit.InNamespace(s.Namespace))
		if err != nil {
			return err
		}
		got := map[string]int{}
		for _, e := range sent.Applied {
			got[e.Object.Name]++
		}
		if len(sent.Pruned) > pruned || len(sent.Foreign) > 0 {
			t.Fatalf("writes that no stage here grants: %v %v", sent.Pruned, sent.Foreign)
		}
		for name, n := range got {
			if n > want[name] {
				t.Fatalf("%d writes to %s, want %d: %v", n, name, want[name], sent.Applied)
			}
		}
		if len(want) == 0 && len(sent.Asked) > 0 {
			t.Fatalf("who writes nothing asks no source: %v", sent.Asked)
		}
		if len(got) != len(want) || len(sent.Pruned) != pruned {
			return fmt.Errorf("writes so far: %v, want %v", got, want)
		}
		return nil
	}))
}
