// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/holdfast-gitops/holdfast/api/contract"
	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/gather"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/metrics"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// bench is a reconciler over a client in memory, with artifacts by digest. A
// real API server runs it in the tests module; here the steps are counted.
type bench struct {
	*ApplicationReconciler
	events    *record.FakeRecorder
	artifacts map[string]string
	writes    int
	// fetched counts rendered artifacts, served counts source artifacts.
	fetched int
	served  atomic.Int32
	source  driftv1.Rendered
	fetch   gather.Fetch
}

// restart is a new process over the same cluster: it remembers nothing.
func (b *bench) restart() {
	b.Gatherer.Sources = gather.NewSources(b.Now)
	b.Gatherer.Declarations = gather.NewDeclarations(b.fetch, b.Now, func([]types.NamespacedName) {})
}

var moment = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func newBench(t *testing.T, objects ...client.Object) *bench {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(driftv1.AddToScheme(scheme), secretsv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	b := &bench{artifacts: map[string]string{}, events: record.NewFakeRecorder(16)}
	count := func() { b.writes++ }
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&driftv1.Application{}, &secretsv1.SecretReport{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				count()
				return c.Create(ctx, o, opts...)
			},
			Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
				count()
				return c.Delete(ctx, o, opts...)
			},
			SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
				count()
				return c.SubResource(sub).Update(ctx, o, opts...)
			},
		}).Build()
	fetch := func(_ context.Context, rendered driftv1.Rendered) ([]byte, error) {
		b.fetched++
		text, there := b.artifacts[rendered.Digest]
		if !there {
			return nil, &gather.ArtifactError{Digest: rendered.Digest, Cause: "its server cannot be reached"}
		}
		return []byte(text), nil
	}
	b.fetch = fetch
	b.serve(t, "values.yaml", "replicas: 3\n")
	now := func() time.Time { return moment }
	b.ApplicationReconciler = &ApplicationReconciler{
		Client: c,
		Gatherer: gather.Gatherer{
			Declarations: gather.NewDeclarations(fetch, now, func([]types.NamespacedName) {}),
			Sources:      gather.NewSources(now),
			Live: func(context.Context, []string) rule.Live {
				return rule.Live{Stores: rule.Seen[declaration.StoreState]{Known: true}}
			},
		},
		Events: b.events, Metrics: metrics.New(prometheus.NewRegistry()), Now: now, NoStatusAfter: 10 * time.Minute,
	}
	return b
}

// serve has a source artifact with one file, for renders from now on.
func (b *bench) serve(t *testing.T, name, content string) {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	tarball := tar.NewWriter(zip)
	err := tarball.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg})
	if err == nil {
		_, err = tarball.Write([]byte(content))
	}
	if err = errors.Join(err, tarball.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b.served.Add(1)
		_, _ = w.Write(packed.Bytes())
	}))
	t.Cleanup(server.Close)
	sum := sha256.Sum256(packed.Bytes())
	b.source = driftv1.Rendered{SourceURL: server.URL + "/a.tar.gz", SourceDigest: "sha256:" + hex.EncodeToString(sum[:])}
}

func (b *bench) reconcile(t *testing.T) (ctrl.Result, error) {
	t.Helper()
	return b.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "users-api"}})
}

func (b *bench) render(t *testing.T, digest string) {
	t.Helper()
	app := &driftv1.Application{}
	if err := b.Get(t.Context(), types.NamespacedName{Namespace: "shop", Name: "users-api"}, app); err != nil {
		t.Fatal(err)
	}
	app.Status.Rendered = nil
	if digest != "" {
		app.Status.Rendered = b.source.DeepCopy()
		app.Status.Rendered.URL, app.Status.Rendered.Digest = "http://127.0.0.1/x", digest
		app.Status.Rendered.Revision = "main@sha1:" + digest
	}
	if err := b.Client.Status().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	b.writes = 0
}

func (b *bench) pages(t *testing.T) []secretsv1.SecretReport {
	t.Helper()
	var list secretsv1.SecretReportList
	if err := b.List(t.Context(), &list, client.MatchingLabels{contract.ApplicationLabel: "users-api"}); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func (b *bench) told() []string {
	var out []string
	for {
		select {
		case event := <-b.events.Events:
			out = append(out, event)
		default:
			return out
		}
	}
}

func usersAPI() *driftv1.Application {
	return &driftv1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "users-api", UID: "u1"}}
}

const (
	clean = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
	open  = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: (masked opaque hmac:8c1f2a)}\n"
)

func TestReportFollowsTheArtifact(t *testing.T) {
	b := newBench(t, usersAPI())
	b.artifacts["clean"], b.artifacts["open"] = clean, open
	b.render(t, "open")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	page := b.pages(t)[0]
	if page.Name != "users-api-0" || page.Labels[contract.PageLabel] != "0" || !metav1.IsControlledBy(&page, usersAPI()) {
		t.Errorf("the page is not the Application's: %+v", page.ObjectMeta)
	}
	if got := page.Status; got.Declaration.Verdict != secretsv1.VerdictDeny || got.Counts.Errors != 1 || got.Observed.Digest != "open" {
		t.Errorf("status: %+v", got)
	}
	if told := b.told(); len(told) != 1 || !strings.Contains(told[0], "DeclarationDeny") {
		t.Errorf("events: %v", told)
	}
	b.render(t, "clean")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	if got := b.pages(t)[0].Status; got.Declaration.Verdict != secretsv1.VerdictPass || got.Observed.Digest != "clean" ||
		len(got.Findings) != 1 || got.Findings[0].Rule != "leak-removed-from-head" {
		t.Errorf("after the fix the value is still in Git's history, and nothing else is said: %+v", got)
	}
	if told := b.told(); len(told) != 1 || !strings.Contains(told[0], "DeclarationPass") {
		t.Errorf("events after the fix: %v", told)
	}
}

func TestNothingIsWrittenWhileNothingChanges(t *testing.T) {
	b := newBench(t, usersAPI())
	b.artifacts["open"] = open
	b.render(t, "open")
	for range 3 {
		if _, err := b.reconcile(t); err != nil {
			t.Fatal(err)
		}
	}
	if b.writes != 2 || len(b.told()) != 1 {
		t.Errorf("got %d writes, want 2 (create and status) and one event", b.writes)
	}
}

func TestUnreadableArtifact(t *testing.T) {
	b := newBench(t, usersAPI())
	b.artifacts["open"], b.artifacts["broken"] = open, "a: ["
	b.render(t, "open")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	for digest, wantKind := range map[string]halt.Kind{"gone": halt.Retry, "broken": ""} {
		b.render(t, digest)
		_, err := b.reconcile(t)
		var h *halt.Error
		if errors.As(err, &h); (h == nil) != (wantKind == "") {
			t.Errorf("%s: want kind %q, got %v", digest, wantKind, err)
		}
		got := b.pages(t)[0].Status
		if got.Declaration.Verdict != secretsv1.VerdictUnknown || got.Readiness.Verdict != secretsv1.VerdictUnknown {
			t.Errorf("%s: verdicts %s and %s, want Unknown", digest, got.Declaration.Verdict, got.Readiness.Verdict)
		}
		if len(got.Findings) != 1 || got.Observed.Digest != "open" {
			t.Errorf("%s: want the finding in its old digest, got %d of %s", digest, len(got.Findings), got.Observed.Digest)
		}
	}
}

func TestNotRendered(t *testing.T) {
	b := newBench(t, usersAPI())
	if _, err := b.reconcile(t); err != nil || len(b.pages(t)) != 0 {
		t.Errorf("never rendered: want no report, got %d pages, %v", len(b.pages(t)), err)
	}
	b.artifacts["open"] = open
	b.render(t, "open")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	b.render(t, "")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	if got := b.pages(t)[0].Status.Declaration.Verdict; got != secretsv1.VerdictUnknown {
		t.Errorf("no longer rendered: got %s, want Unknown", got)
	}
}

func TestManyPagesAndFewerAgain(t *testing.T) {
	b := newBench(t, usersAPI())
	var many strings.Builder
	for i := range 1100 {
		many.WriteString("---\napiVersion: v1\nkind: Secret\nmetadata: {name: db-" + strings.Repeat("x", i%50) + "}\nstringData: {password: (masked opaque)}\n")
	}
	b.artifacts["many"], b.artifacts["clean"] = many.String(), clean
	b.render(t, "many")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	if got := len(b.pages(t)); got < 3 {
		t.Errorf("got %d pages, want at least 3", got)
	}
	b.render(t, "clean")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	if pages := b.pages(t); len(pages) != 1 || pages[0].Name != "users-api-0" {
		t.Errorf("want the first page only, got %d", len(pages))
	}
}

func TestPolicyEndIsAReasonToLookAgain(t *testing.T) {
	end := metav1.NewTime(moment.Add(time.Hour))
	policy := &secretsv1.SecretPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: secretsv1.SecretPolicySpec{
		Exceptions: []secretsv1.Exception{{
			Rule: "plain-secret-stringdata", Accountability: secretsv1.Accountability{Owner: "o", Reason: "r", Until: &end},
		}},
	}}
	b := newBench(t, usersAPI(), policy)
	b.artifacts["open"] = open
	b.render(t, "open")
	result, err := b.reconcile(t)
	if err != nil || result.RequeueAfter != time.Hour {
		t.Errorf("got %v, %v: want to look again in an hour", result, err)
	}
	if got := b.pages(t)[0].Status.Declaration.Verdict; got != secretsv1.VerdictPass {
		t.Errorf("got %s, want Pass while the exception holds", got)
	}
}

func TestApplicationGone(t *testing.T) {
	b := newBench(t)
	if _, err := b.reconcile(t); err != nil || b.writes != 0 {
		t.Errorf("got %v and %d writes, want nothing", err, b.writes)
	}
}

// TestLeaksOutliveTheProcess: the value was removed while nobody looked, and
// is asked after until somebody says that it was rotated; then for good.
func TestLeaksOutliveTheProcess(t *testing.T) {
	b := newBench(t, usersAPI())
	b.artifacts["clean"], b.artifacts["open"] = clean, open
	b.render(t, "open")
	if _, err := b.reconcile(t); err != nil {
		t.Fatal(err)
	}
	var leak secretsv1.Finding
	for range 2 {
		b.restart()
		b.render(t, "clean")
		if _, err := b.reconcile(t); err != nil {
			t.Fatal(err)
		}
		got := b.pages(t)[0].Status
		if len(got.Findings) != 1 || got.Findings[0].Rule != "leak-removed-from-head" {
			t.Fatalf("after a restart: %+v", got.Findings)
		}
		leak = got.Findings[0]
	}
	policy := &secretsv1.SecretPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: secretsv1.SecretPolicySpec{
		Waivers: []secretsv1.Waiver{{
			Accountability: secretsv1.Accountability{Owner: "o", Reason: "r"}, Fingerprint: leak.Fingerprint, Rotated: true,
		}},
	}}
	if err := b.Create(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { return nil },
		func() error { return b.Client.Delete(t.Context(), policy) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
		b.restart()
		if _, err := b.reconcile(t); err != nil {
			t.Fatal(err)
		}
		if got := b.pages(t)[0].Status; len(got.Findings) != 0 || len(got.Leaks) != 0 {
			t.Errorf("acknowledged as rotated: %+v %+v", got.Findings, got.Leaks)
		}
	}
}
