// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// hookAnnotations mark objects that Helm or Argo CD run around a release. Most
// are gone again afterwards: they are no part of what should stand, whichever
// renderer gave them.
var hookAnnotations = []string{"helm.sh/hook", "argocd.argoproj.io/hook"}

// setAside sorts out what is not compared, and gives the rest.
func (r *Result) setAside(objects []manifest.Object) []manifest.Object {
	var kept []manifest.Object
	for _, object := range objects {
		if event, isHook := hookEvent(object); isHook {
			r.Hooks = append(r.Hooks, Hook{ID: object.ID(), Source: object.Source, Event: event})
			continue
		}
		if reason, note := notComparable(object); reason != "" {
			r.Unjudged = append(r.Unjudged, Unjudged{ID: object.ID(), Source: object.Source, Note: note, Reason: reason})
			if !note {
				r.Incomplete = append(r.Incomplete, fmt.Sprintf("%s: %s %s", object.Source, object.ID(), reason))
			}
			continue
		}
		kept = append(kept, object)
	}
	return kept
}

func hookEvent(object manifest.Object) (event string, isHook bool) {
	for _, key := range hookAnnotations {
		if value, set := mark(object, "annotations", key); set && !installsCRD(object, value) {
			return value, true
		}
	}
	return "", false
}

// installsCRD is true of the one hook that stays for good: a definition that
// charts of Helm 2 had installed before the rest. Definitions are written first
// here anyway, so it is an object like any other.
func installsCRD(object manifest.Object, events string) bool {
	return object.GetKind() == "CustomResourceDefinition" &&
		slices.ContainsFunc(strings.Split(events, ","), func(e string) bool { return strings.TrimSpace(e) == "crd-install" })
}

func notComparable(object manifest.Object) (reason string, note bool) {
	if object.IsGenerated() {
		return fmt.Sprintf("%s* has generateName: the server makes up its name, so there is nothing to compare it with", object.GetGenerateName()), true
	}
	if mac, _, _ := unstructured.NestedString(object.Object, "sops", "mac"); mac != "" {
		return "is encrypted with SOPS and was not decrypted", false
	}
	return "", false
}

// mark reads a label or annotation. Unlike the accessors of unstructured it is
// not put off by a neighbour that is no text.
func mark(object manifest.Object, where, key string) (string, bool) {
	value, found, err := unstructured.NestedFieldNoCopy(object.Object, "metadata", where, key)
	if !found || err != nil || value == nil {
		return "", false
	}
	return fmt.Sprint(value), true
}

// foreign are prefixes of marks by which other tools are told how to treat an
// object, and understood those that are honoured here or only bookkeeping.
var (
	foreign    = []string{"argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/", "helm.sh/"}
	understood = []string{
		"argocd.argoproj.io/sync-wave", "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance",
		"kustomize.toolkit.fluxcd.io/substitute", "kustomize.toolkit.fluxcd.io/name",
		"kustomize.toolkit.fluxcd.io/namespace", "kustomize.toolkit.fluxcd.io/checksum",
		"helm.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/namespace",
		"helm.sh/chart", "helm.sh/hook-weight",
	}
)

// foreignMarks reports marks that have no effect here, one note for each: they
// were set for a reason, and dropping them in silence would be a surprise.
func foreignMarks(objects []manifest.Object) []string {
	found := map[string][]manifest.ID{}
	for _, object := range objects {
		for _, where := range []string{"annotations", "labels"} {
			marks, _, _ := unstructured.NestedFieldNoCopy(object.Object, "metadata", where)
			entries, _ := marks.(map[string]any)
			for key, value := range entries {
				if isForeign(key) && (key != hookAnnotations[0] || !installsCRD(object, fmt.Sprint(value))) {
					found[key] = append(found[key], object.ID())
				}
			}
		}
	}
	var notes []string
	for _, key := range slices.Sorted(maps.Keys(found)) {
		ids := found[key]
		more := ""
		if len(ids) > 1 {
			more = fmt.Sprintf(" and %d more", len(ids)-1)
		}
		notes = append(notes, fmt.Sprintf("%s on %s%s has no effect here", key, ids[0], more))
	}
	return notes
}

func isForeign(key string) bool {
	return !slices.Contains(understood, key) &&
		slices.ContainsFunc(foreign, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
