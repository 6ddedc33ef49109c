// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// TestSourceIsLookedAt: what stands in the files is found where it stands, and
// its value is nowhere in the report.
func TestSourceIsLookedAt(t *testing.T) {
	const value = "Zx81-Spectrum-48k"
	asks := &secretsv1.SecretPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: secretsv1.SecretPolicySpec{
		Severities: []secretsv1.RuleSeverity{{Rule: rule.LeakInSource, Severity: "Error"}},
	}}
	b := newBench(t, usersAPI(), asks)
	b.artifacts["clean"] = clean
	b.serve(t, "hack/job.yaml", "user: app\npassword: "+value+"\n# password: "+value+"\n")
	b.render(t, "clean")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	got := b.pages(t)[0].Status
	var places []string
	for _, f := range got.Findings {
		places = append(places, f.Rule+" "+f.Path)
	}
	if diff := cmp.Diff([]string{"leak-in-source hack/job.yaml:2", "leak-in-comment hack/job.yaml:3"}, places); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for i := range len(value) - 3 {
		if strings.Contains(fmt.Sprintf("%+v", got), value[i:i+4]) {
			t.Errorf("%q of the value is in the report: %+v", value[i:i+4], got)
		}
	}
}

// TestUnreadSourceIsUnknown: manifests without a fault are no proof while the
// files were not looked at.
func TestUnreadSourceIsUnknown(t *testing.T) {
	for name, change := range map[string]func(*bench){
		"another digest": func(b *bench) { b.source.SourceDigest = "sha256:" + strings.Repeat("0", 64) },
		"no server":      func(b *bench) { b.source.SourceURL = "http://127.0.0.1:1/hidden-path" },
		"not told":       func(b *bench) { b.source.SourceURL = "" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, usersAPI())
			b.artifacts["clean"] = clean
			change(b)
			b.render(t, "clean")
			result, err := b.reconcile(t)
			if err != nil || result.RequeueAfter != sourceAgain {
				t.Errorf("got %v, %v: want to look again in %s", result, err, sourceAgain)
			}
			got := b.pages(t)[0].Status
			if got.Declaration.Verdict != secretsv1.VerdictUnknown || !strings.Contains(got.Declaration.Reason, "source artifact") {
				t.Errorf("want Unknown with the reason, got %+v", got.Declaration)
			}
			if strings.Contains(got.Declaration.Reason, "hidden-path") {
				t.Errorf("the reason shows the URL: %s", got.Declaration.Reason)
			}
		})
	}
}

// TestIdleCostsNothing: a second look at the same digests downloads nothing,
// writes nothing and says the same.
func TestIdleCostsNothing(t *testing.T) {
	b := newBench(t, usersAPI())
	b.artifacts["open"] = open
	b.render(t, "open")
	for range 5 {
		if _, err := b.reconcile(t); err != nil {
			t.Fatal(err)
		}
	}
	if b.fetched != 1 || b.served.Load() != 1 || b.writes != 2 {
		t.Errorf("fetched %d rendered and %d source artifacts, %d writes: want 1, 1, and 2 for the first page", b.fetched, b.served.Load(), b.writes)
	}
	b.Gatherer.Sources.Forget(types.NamespacedName{Namespace: "shop", Name: "users-api"})
	if _, err := b.reconcile(t); err != nil || b.served.Load() != 1 {
		t.Errorf("the archive that another Application may share was downloaded again: %d, %v", b.served.Load(), err)
	}
}
