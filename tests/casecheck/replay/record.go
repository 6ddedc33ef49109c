// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// first is the time that the first step of a recording has; each later one is
// an hour and a quarter after the one before.
var first = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

const between = 75 * time.Minute

// Record makes the live state of a case by its commands and writes it to
// live.yaml, with fixed uids, resource versions and times.
func (s *Stage) Record(ctx context.Context, c casefile.Case) error {
	r := recording{stage: s, c: c, times: map[string]time.Time{}}
	c.Action = oneByOne(c.Action)
	if err := s.act(ctx, c, r.look); err != nil {
		return err
	}
	objects, err := s.everything(ctx, c)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for i, o := range objects {
		if i > 0 {
			out.WriteString("---\n")
		}
		data, err := yaml.Marshal(r.fixed(o).Object)
		if err != nil {
			return fmt.Errorf("%s: %w", place(o), err)
		}
		out.Write(data)
	}
	return os.WriteFile(filepath.Join(c.Dir, "live.yaml"), out.Bytes(), 0o644) //nolint:gosec // a file of the repository
}

// oneByOne makes every line a step, since each has a time of its own.
func oneByOne(action casefile.Action) casefile.Action {
	var all casefile.Action
	for _, step := range action {
		if step.Shell == "" {
			all = append(all, step)
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(step.Shell), "\n") {
			all = append(all, casefile.Step{Shell: line})
		}
	}
	return all
}

// recording knows in which step each entry of managedFields was written.
type recording struct {
	stage *Stage
	c     casefile.Case
	steps int
	times map[string]time.Time
}

// look runs after every step. Times have steps of a second: the next step must
// not fall into the same one.
func (r *recording) look(ctx context.Context) error {
	objects, err := r.stage.everything(ctx, r.c)
	if err != nil {
		return err
	}
	at := first.Add(time.Duration(r.steps) * between)
	r.steps++
	for _, o := range objects {
		for _, entry := range o.GetManagedFields() {
			if key := entryKey(o, entry); r.times[key].IsZero() {
				r.times[key] = at
			}
		}
	}
	timer := time.NewTimer(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func entryKey(o *unstructured.Unstructured, e metav1.ManagedFieldsEntry) string {
	var fields []byte
	if e.FieldsV1 != nil {
		fields = e.FieldsV1.GetRawBytes()
	}
	return fmt.Sprint(o.GetUID(), e.Manager, e.Operation, e.Subresource, e.Time, string(fields))
}

// fixed replaces what differs from one recording to the next.
func (r *recording) fixed(o *unstructured.Unstructured) *unstructured.Unstructured {
	out := o.DeepCopy()
	entries := out.GetManagedFields()
	for i, entry := range entries {
		if entry.Time != nil {
			t := metav1.NewTime(r.times[entryKey(o, entry)])
			entries[i].Time = &t
		}
	}
	out.SetManagedFields(entries)
	out.SetUID(fixedUID(r.c.Name, o))
	out.SetResourceVersion("1000")
	out.SetCreationTimestamp(metav1.NewTime(first))
	owners := out.GetOwnerReferences()
	for i, owner := range owners {
		owners[i].UID = fixedUID(r.c.Name, ownerOf(o, owner))
	}
	if len(owners) > 0 {
		out.SetOwnerReferences(owners)
	}
	return out
}

func fixedUID(name string, o *unstructured.Unstructured) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(name+" "+place(o))).String())
}

func ownerOf(o *unstructured.Unstructured, owner metav1.OwnerReference) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	out.SetKind(owner.Kind)
	out.SetNamespace(o.GetNamespace())
	out.SetName(owner.Name)
	return out
}

// everything lists what is live of a case: what it declares, and all else in
// its namespaces but the records that a case keeps in files of their own.
func (s *Stage) everything(ctx context.Context, c casefile.Case) ([]*unstructured.Unstructured, error) {
	found := map[manifest.ID]*unstructured.Unstructured{}
	for _, declared := range slices.Concat(c.Desired, c.Previous) {
		if declared.GetName() == "" {
			continue // the server makes names up
		}
		o, err := s.get(ctx, declared.Unstructured)
		if meta.IsNoMatchError(err) {
			continue // the server knows no such kind
		}
		if err != nil {
			return nil, err
		}
		if o != nil {
			found[declared.ID()] = o
		}
	}
	kinds, err := s.listable()
	if err != nil {
		return nil, err
	}
	for _, namespace := range c.Namespaces() {
		for _, kind := range kinds {
			if err := s.list(ctx, kind, namespace, found); err != nil {
				return nil, err
			}
		}
	}
	for _, others := range slices.Concat(c.Setup, c.Later) {
		if !c.Declares(others.ID()) {
			delete(found, others.ID()) // setup.yaml has it already
		}
	}
	all := make([]*unstructured.Unstructured, 0, len(found))
	for _, o := range found {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int { return strings.Compare(place(a), place(b)) })
	return all, nil
}

func (s *Stage) list(ctx context.Context, kind schema.GroupVersionResource, namespace string, into map[manifest.ID]*unstructured.Unstructured) error {
	list, err := s.client.Resource(kind).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing %s: %w", kind.Resource, err)
	}
	for i := range list.Items {
		o := &list.Items[i]
		id := manifest.Object{Unstructured: o}.ID()
		if _, known := into[id]; !known && !isRecord(o) {
			into[id] = o
		}
	}
	return nil
}

// isRecord: Helm's own bookkeeping stands in release files.
func isRecord(o *unstructured.Unstructured) bool {
	kind, _, _ := unstructured.NestedString(o.Object, "type")
	return o.GetKind() == "Event" || kind == "helm.sh/release.v1"
}

// listable are the kinds that people put into namespaces.
func (s *Stage) listable() ([]schema.GroupVersionResource, error) {
	lists, err := s.disco.ServerPreferredNamespacedResources()
	if err != nil {
		return nil, fmt.Errorf("kinds of the server: %w", err)
	}
	var kinds []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "create") && r.Name != "events" {
				kinds = append(kinds, version.WithResource(r.Name))
			}
		}
	}
	return kinds, nil
}
