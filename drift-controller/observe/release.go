// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/marks"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/release"
)

// ErrForbidden means that the account lacks a right, which the error names.
var ErrForbidden = errors.New("forbidden")

// Release is a Helm release in the cluster.
type Release struct{ Namespace, Name string }

// ReleaseOf is the release that an object says it belongs to.
func ReleaseOf(obj *unstructured.Unstructured) (Release, bool) {
	namespace, name := marks.Release(obj)
	return Release{Namespace: namespace, Name: name}, name != ""
}

// Earlier are the renders of a release that the cluster still remembers. They
// may hold secret values: compare with them, then let go of them.
type Earlier struct {
	objects map[manifest.ID][]*unstructured.Unstructured
}

// Of gives the earlier renders of one object, the oldest first.
func (e Earlier) Of(id manifest.ID) []*unstructured.Unstructured { return e.objects[id] }

// remembered revisions of a release that are looked at. Helm keeps ten.
const remembered = 5

var secrets = Resource{
	Kind:       schema.GroupVersionKind{Version: "v1", Kind: "Secret"},
	Path:       schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
	Namespaced: true,
}

// Earlier reads the last revisions of a release, half done ones included: what
// they left behind was deployed by Helm as well. Without the right to read
// Secrets the error is ErrForbidden, and there is simply no evidence.
func (c *Cluster) Earlier(ctx context.Context, r Release) (Earlier, error) {
	scopes, err := c.Scopes(ctx)
	if err != nil {
		return Earlier{}, err
	}
	names, err := c.revisions(ctx, r)
	if err != nil {
		return Earlier{}, c.ofRelease(r, err)
	}
	e := Earlier{objects: map[manifest.ID][]*unstructured.Unstructured{}}
	for _, name := range names {
		objects, err := c.revision(ctx, r.Namespace, name)
		if err != nil {
			return Earlier{}, c.ofRelease(r, err)
		}
		for _, obj := range objects {
			id := placed(obj, scopes, r.Namespace)
			e.objects[id] = append(e.objects[id], obj.Unstructured)
		}
	}
	return e, nil
}

// revisions lists the Secrets of a release by metadata, the oldest of the last
// few first.
func (c *Cluster) revisions(ctx context.Context, r Release) ([]string, error) {
	selector := labels.Set{release.OwnerLabel: release.Owner, release.NameLabel: r.Name}.String()
	type revision struct {
		name   string
		number int
	}
	var all []revision
	o := metav1.ListOptions{LabelSelector: selector}
	err := c.listMetadata(ctx, secrets, r.Namespace, o, func(m *metav1.PartialObjectMetadata) {
		if number, err := strconv.Atoi(m.Labels[release.VersionLabel]); err == nil {
			all = append(all, revision{m.Name, number})
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b revision) int { return cmp.Compare(a.number, b.number) })
	var names []string
	for _, rev := range all[max(0, len(all)-remembered):] {
		names = append(names, rev.name)
	}
	return names, nil
}

func (c *Cluster) revision(ctx context.Context, namespace, name string) ([]manifest.Object, error) {
	secret, err := c.objects.get(ctx, secrets, namespace, name)
	if err != nil {
		return nil, err
	}
	text, _, _ := unstructured.NestedString(secret.Object, "data", release.Key)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, release.ErrNotRelease)
	}
	objects, err := release.Objects(data)
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", name, err)
	}
	return objects, nil
}

// placed gives an object the namespace that Helm put it in.
func placed(obj manifest.Object, scopes manifest.Scopes, namespace string) manifest.ID {
	id := obj.ID()
	if namespaced, known := scopes.Of(id.GroupKind()); known && namespaced && id.Namespace == "" {
		id.Namespace = namespace
		obj.SetNamespace(namespace)
	}
	return id
}

// ofRelease says what could not be read and why.
func (c *Cluster) ofRelease(r Release, err error) error {
	where := fmt.Sprintf("Helm release %s of namespace %s", r.Name, r.Namespace)
	refused := refusal.Of(err, refusal.Hide{Scope: mask.Scope{Secret: true}})
	if refused.Kind == refusal.Denied {
		return fmt.Errorf("%s: %w: %s", where, ErrForbidden, c.toGrant("get and list", secrets, r.Namespace))
	}
	if errors.Is(err, release.ErrNotRelease) {
		return fmt.Errorf("%s: %w", where, err)
	}
	return fmt.Errorf("%s: %s", where, refused.Words)
}
