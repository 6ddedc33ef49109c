// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Production says that an object writes a Secret, and with which keys.
type Production struct {
	By        secretsv1.ObjectReference
	Namespace string
	Name      string
	// Creates: the Secret comes into being through this. A Merge only adds.
	Creates bool
	// Policy is the creation policy of an ExternalSecret, else empty.
	Policy CreationPolicy
	Keys   Keys
	// Application that declares it, where it is not the one being judged.
	Application string
}

// Productions lists every Secret that the set produces. Namespaces are those
// that a ClusterExternalSecret may select, from wherever they are known.
func (s Set) Productions(namespaces []Namespace) []Production {
	out := slices.Clone(s.implied)
	for _, es := range s.ExternalSecrets {
		if production, writes := s.production(es.Ref, es.Spec, es.Ref.Namespace); writes {
			out = append(out, production)
		}
	}
	out = append(out, s.ClusterProductions(namespaces)...)
	for _, secret := range s.Secrets {
		out = append(out, created(secret.Ref, secret.Ref.Name, secret.keys()))
	}
	for _, sealed := range s.SealedSecrets {
		// The controller unseals into its own name, whatever the template says.
		out = append(out, created(sealed.Ref, sealed.Ref.Name, sealed.keys()))
	}
	for _, certificate := range s.Certificates {
		if certificate.Secret != "" {
			out = append(out, created(certificate.Ref, certificate.Secret, certificate.Keys))
		}
	}
	return out
}

// ClusterProductions lists what ClusterExternalSecrets produce in namespaces.
func (s Set) ClusterProductions(namespaces []Namespace) []Production {
	var out []Production
	for _, ces := range s.ClusterExternalSecrets {
		for _, namespace := range namespaces {
			if ces.Admits(namespace.Name, namespace.Labels) != Admitted {
				continue
			}
			if production, writes := s.production(ces.Ref, ces.Spec, namespace.Name); writes {
				out = append(out, production)
			}
		}
	}
	return out
}

func created(by secretsv1.ObjectReference, name string, keys Keys) Production {
	return Production{By: by, Namespace: by.Namespace, Name: name, Creates: true, Keys: keys}
}

// production is what a body writes in a namespace; with creation policy None,
// or with another kind as its target, it writes no Secret.
func (s Set) production(by secretsv1.ObjectReference, spec Spec, namespace string) (Production, bool) {
	if spec.Target.Creation == CreationNone || spec.Target.Generic {
		return Production{}, false
	}
	return Production{
		By: by, Namespace: namespace, Name: spec.Target.Name,
		Creates: spec.Target.Creation != CreationMerge,
		Policy:  spec.Target.Creation,
		Keys:    s.TargetKeys(spec, namespace),
	}, true
}

// TargetKeys are the keys that a body writes to its target.
func (s Set) TargetKeys(spec Spec, namespace string) Keys {
	fetched := s.FetchedKeys(spec, namespace)
	template := spec.Target.Template
	switch {
	case template == nil || !template.DeclaresData:
		return fetched
	case template.Merge:
		return Union(template.Keys, fetched)
	}
	return template.Keys
}

// FetchedKeys are the keys that a body fetches, before any template.
func (s Set) FetchedKeys(spec Spec, namespace string) Keys {
	var keys Keys
	for i, item := range spec.DataFrom {
		keys.merge(s.ItemKeys(i, item, namespace))
	}
	for _, item := range spec.Data {
		keys.add(item.Key)
	}
	return keys
}

// ItemKeys are the keys that one dataFrom item yields.
func (s Set) ItemKeys(index int, item DataFromItem, namespace string) Keys {
	switch {
	case item.HasExtract:
		return Keys{Open: fmt.Sprintf("dataFrom %d is an extract: its keys are those of the remote object %q", index, item.ExtractKey)}
	case item.HasFind:
		return Keys{Open: fmt.Sprintf("dataFrom %d is a find: its keys are the names that match in the store", index)}
	case item.Source.Generator != nil:
		return s.yield(*item.Source.Generator, namespace).rewritten(item.Rewrites)
	}
	return Keys{}
}

// Admits says whether a ClusterExternalSecret selects a namespace.
func (c ClusterExternalSecret) Admits(namespace string, known labels.Set) Admission {
	if slices.Contains(c.Namespaces, namespace) {
		return Admitted
	}
	result := Denied
	for _, selector := range c.Selectors {
		switch selector.Matches(known) {
		case Admitted:
			return Admitted
		case Undecided:
			result = Undecided
		case Denied:
		}
	}
	return result
}
