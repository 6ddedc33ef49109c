// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// shelf is an artifact server in memory: digest to manifests.
type shelf struct {
	manifests map[string]string
	fetched   []string
	woken     []types.NamespacedName
	now       time.Time
}

func newShelf(manifests map[string]string) (*shelf, *Declarations) {
	s := &shelf{manifests: manifests, now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
	return s, NewDeclarations(s.fetch, func() time.Time { return s.now }, func(names []types.NamespacedName) {
		s.woken = append(s.woken, names...)
	})
}

func (s *shelf) fetch(_ context.Context, rendered driftv1.Rendered) ([]byte, error) {
	s.fetched = append(s.fetched, rendered.Digest)
	text, there := s.manifests[rendered.Digest]
	if !there {
		return nil, &ArtifactError{Digest: rendered.Digest, Cause: "it is not there"}
	}
	return []byte(text), nil
}

func (s *shelf) wokenNames() []string {
	var names []string
	for _, name := range s.woken {
		names = append(names, name.Name)
	}
	s.woken = nil
	return names
}

func application(name, digest string) *driftv1.Application {
	app := &driftv1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}}
	if digest != "" {
		app.Status.Rendered = &driftv1.Rendered{Digest: digest}
	}
	return app
}

const (
	consumer = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, envFrom: [{secretRef: {name: db}}]}]}\n"
	producer = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {data: [{secretKey: a, remoteRef: {key: x}}]}\n"
	moreKeys = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {data: [{secretKey: b, remoteRef: {key: x}}]}\n"
	stranger = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
)

func load(t *testing.T, d *Declarations, app *driftv1.Application) declaration.Set {
	t.Helper()
	set, err := d.Load(t.Context(), app)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestLoadReadsADigestOnce(t *testing.T) {
	s, d := newShelf(map[string]string{"1": consumer, "2": producer})
	if set := load(t, d, application("a", "1")); set.References[0].Namespace != "shop" {
		t.Errorf("objects without a namespace go to the Application's, got %q", set.References[0].Namespace)
	}
	load(t, d, application("a", "1"))
	load(t, d, application("a", "2"))
	if diff := cmp.Diff([]string{"1", "2"}, s.fetched); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestLoadFails(t *testing.T) {
	_, d := newShelf(map[string]string{"broken": "a: [", "text": "just text"})
	var notThere *ArtifactError
	if _, err := d.Load(t.Context(), application("a", "gone")); !errors.As(err, &notThere) {
		t.Errorf("want an ArtifactError, got %v", err)
	}
	for _, digest := range []string{"broken", "text"} {
		var broken *declaration.ParseError
		if _, err := d.Load(t.Context(), application("a", digest)); !errors.As(err, &broken) {
			t.Errorf("%s: want a ParseError, got %v", digest, err)
		}
	}
}

func neighbours(t *testing.T, d *Declarations, app *driftv1.Application, others ...*driftv1.Application) rule.Neighbours {
	t.Helper()
	load(t, d, app)
	all := []driftv1.Application{*app}
	for _, other := range others {
		all = append(all, *other)
	}
	return d.Neighbours(t.Context(), app, all, nil)
}

func TestNeighbours(t *testing.T) {
	elsewhere := application("b", "producer")
	elsewhere.Namespace = "other"
	remote := application("b", "producer")
	remote.Spec.Destination.KubeConfig = &driftv1.KubeConfigReference{}
	for name, tc := range map[string]struct {
		reason      string
		other       *driftv1.Application
		productions int
		unread      int
	}{
		"Producer":        {"a Secret in the namespace at hand", application("b", "producer"), 1, 0},
		"OtherNamespace":  {"Secrets of other namespaces are nobody's business here", elsewhere, 0, 0},
		"OtherCluster":    {"the same namespace of another cluster is another one", remote, 0, 0},
		"NotRendered":     {"what it will declare is not known", application("b", ""), 0, 1},
		"CannotBeRead":    {"what it declares is not known", application("b", "gone"), 0, 1},
		"CannotBeParsed":  {"what it declares is not known", application("b", "broken"), 0, 1},
		"NothingToDoWith": {"it declares no Secret", application("b", "stranger"), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := newShelf(map[string]string{"consumer": consumer, "producer": producer, "broken": "a: [", "stranger": stranger})
			got := neighbours(t, d, application("a", "consumer"), tc.other)
			if len(got.Productions) != tc.productions || len(got.Unread) != tc.unread {
				t.Errorf("%s: got %d productions and %d unread, want %d and %d",
					tc.reason, len(got.Productions), len(got.Unread), tc.productions, tc.unread)
			}
			for _, p := range got.Productions {
				if p.Application == "" {
					t.Errorf("production %s does not say whose it is", p.Name)
				}
			}
		})
	}
}

func TestUnreadNeighbourIsLeftAloneForAWhile(t *testing.T) {
	s, d := newShelf(map[string]string{"consumer": consumer})
	a, b := application("a", "consumer"), application("b", "gone")
	neighbours(t, d, a, b)
	neighbours(t, d, a, b)
	if diff := cmp.Diff([]string{"consumer", "gone"}, s.fetched); diff != "" {
		t.Errorf("within the pause: -want +got\n%s", diff)
	}
	s.now = s.now.Add(retryUnread)
	neighbours(t, d, a, b)
	if len(s.fetched) != 3 {
		t.Errorf("after the pause: want one more attempt, got %v", s.fetched)
	}
}

func TestChangesWakeThoseWhoNeedThem(t *testing.T) {
	s, d := newShelf(map[string]string{"consumer": consumer, "producer": producer, "more": moreKeys, "stranger": stranger})
	load(t, d, application("reader", "consumer"))
	load(t, d, application("bystander", "stranger"))
	s.wokenNames()

	load(t, d, application("writer", "producer"))
	if diff := cmp.Diff([]string{"bystander", "reader"}, s.wokenNames()); diff != "" {
		t.Errorf("first read, whose doubt the whole namespace had: -want +got\n%s", diff)
	}
	load(t, d, application("writer", "producer"))
	if got := s.wokenNames(); got != nil {
		t.Errorf("nothing changed: want nobody woken, got %v", got)
	}
	load(t, d, application("writer", "more"))
	if diff := cmp.Diff([]string{"reader"}, s.wokenNames()); diff != "" {
		t.Errorf("other keys: -want +got\n%s", diff)
	}
	load(t, d, application("bystander", "consumer"))
	s.wokenNames()
	d.Forget(types.NamespacedName{Namespace: "shop", Name: "writer"})
	if diff := cmp.Diff([]string{"bystander", "reader"}, s.wokenNames()); diff != "" {
		t.Errorf("gone: -want +got\n%s", diff)
	}
}

func TestTouching(t *testing.T) {
	_, d := newShelf(map[string]string{"consumer": consumer})
	load(t, d, application("a", "consumer"))
	for namespace, want := range map[string]int{"shop": 1, "other": 0, "": 1} {
		if got := len(d.Touching(namespace)); got != want {
			t.Errorf("namespace %q: got %d Applications, want %d", namespace, got, want)
		}
	}
}
