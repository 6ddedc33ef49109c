// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Condition is a status condition without its message: messages of operators
// quote what they could not parse, and that may be a value.
type Condition struct {
	Present bool
	Status  string
	Reason  string
}

// True says whether the condition is there and True.
func (c Condition) True() bool { return c.Present && c.Status == string(metav1.ConditionTrue) }

// False says whether the condition is there and False.
func (c Condition) False() bool { return c.Present && c.Status == string(metav1.ConditionFalse) }

// StoreState is a live store with its Ready condition.
type StoreState struct {
	Store
	Ready Condition
}

// ReadStoreState reads a live store.
func ReadStoreState(object Object) StoreState {
	ready, _ := condition(object, "Ready")
	return StoreState{Store: ReadStore(object), Ready: ready}
}

// ExternalSecretState is a live ExternalSecret: its body and its status.
type ExternalSecretState struct {
	ExternalSecret
	UID        string
	Created    time.Time
	Generation int64
	// SyncedGeneration is the generation of the last sync, 0 when none.
	SyncedGeneration int64
	Ready            Condition
	// Retained: the provider is empty and the old data was kept. ESO says so
	// in the message only, so it is the one thing read from there.
	Retained bool
	// Refreshed is the time of the last refresh; Windows limit when there may
	// be one.
	Refreshed time.Time
	Windows   bool
	// Binding is the Secret that the status names.
	Binding string
	// Owned: a ClusterExternalSecret made it.
	Owned bool
}

// ReadExternalSecretState reads a live ExternalSecret.
func ReadExternalSecretState(object Object) ExternalSecretState {
	meta := object.root().get("metadata")
	ready, message := condition(object, "Ready")
	out := ExternalSecretState{
		ExternalSecret: ExternalSecret{
			Ref: object.Ref, Meta: readMeta(object),
			Spec: readSpec(object.root().get("spec"), object.Ref.Name),
		},
		UID:        meta.get("uid").text(),
		Created:    readTime(meta.get("creationTimestamp")),
		Generation: meta.get("generation").number(),
		Ready:      ready,
		Retained:   ready.True() && strings.Contains(strings.ToLower(message), "retain"),
	}
	out.Refreshed = readTime(object.root().get("status", "refreshTime"))
	out.Windows = object.root().get("spec", "syncWindows").exists()
	out.Binding = object.root().get("status", "binding", "name").text()
	out.Owned = len(meta.get("ownerReferences").items()) > 0
	synced, _, _ := strings.Cut(object.root().get("status", "syncedResourceVersion").text(), "-")
	if generation, err := strconv.ParseInt(synced, 10, 64); err == nil {
		out.SyncedGeneration = generation
	}
	return out
}

// ProducerState is a live SealedSecret or Certificate with the condition that
// tells whether its Secret was written.
type ProducerState struct {
	Ref secretsv1.ObjectReference
	// Secret that it writes.
	Secret string
	// Done is Synced of a SealedSecret and Ready of a Certificate.
	Done Condition
	// Stale: the status is about an older generation.
	Stale bool
}

// ReadProducerState reads a live SealedSecret or Certificate.
func ReadProducerState(object Object) ProducerState {
	root := object.root()
	out := ProducerState{Ref: object.Ref, Secret: object.Ref.Name}
	observed := root.get("status", "observedGeneration").number()
	if object.Ref.Kind == "Certificate" {
		out.Secret = root.get("spec", "secretName").text()
		out.Done, _ = condition(object, "Ready")
		observed = observedByCondition(object, "Ready")
	} else {
		out.Done, _ = condition(object, "Synced")
	}
	out.Stale = observed != 0 && observed < root.get("metadata", "generation").number()
	return out
}

// SecretState is what the metadata of a live Secret tells.
type SecretState struct {
	Namespace string
	Name      string
	// Keys by managedFields, which name them without their values.
	Keys      []string
	KeysKnown bool
	// Owner is the controlling owner, if there is one.
	Owner    secretsv1.ObjectReference
	OwnerUID string
	// Managed: the operator marked it as its own.
	Managed bool
	// SealedManaged: the sealed-secrets controller may take it over.
	SealedManaged bool
	// Writers are the field managers of its data.
	Writers []string
	// Type is not part of the metadata; it is empty unless somebody knows it.
	Type string
}

// NewSecretState reads the metadata of a live Secret. Keys that were written
// through stringData do not show in data's fields until somebody rewrites
// them, so both branches count.
func NewSecretState(meta metav1.Object) SecretState {
	out := SecretState{Namespace: meta.GetNamespace(), Name: meta.GetName()}
	if owner := metav1.GetControllerOfNoCopy(meta); owner != nil {
		out.Owner = secretsv1.ObjectReference{
			APIVersion: owner.APIVersion, Kind: owner.Kind, Namespace: out.Namespace, Name: owner.Name,
		}
		out.OwnerUID = string(owner.UID)
	}
	out.Managed = meta.GetLabels()["reconcile.external-secrets.io/managed"] == "true"
	annotations := meta.GetAnnotations()
	out.SealedManaged = annotations["sealedsecrets.bitnami.com/managed"] == "true" || annotations["sealedsecrets.bitnami.com/patch"] == "true"
	for _, entry := range meta.GetManagedFields() {
		if entry.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if out.addKeys(node{value: fields}) && entry.Manager != "" && !slices.Contains(out.Writers, entry.Manager) {
			out.Writers = append(out.Writers, entry.Manager)
		}
	}
	slices.Sort(out.Keys)
	out.Keys = slices.Compact(out.Keys)
	return out
}

// addKeys says whether the entry owns any key.
func (s *SecretState) addKeys(fields node) bool {
	any := false
	for _, branch := range []string{"f:data", "f:stringData"} {
		keys := fields.get(branch).keys()
		for _, key := range keys {
			s.KeysKnown = true
			if name, isKey := strings.CutPrefix(key, "f:"); isKey {
				s.Keys = append(s.Keys, name)
				any = true
			}
		}
	}
	return any
}

func condition(object Object, kind string) (Condition, string) {
	for _, item := range object.root().get("status", "conditions").items() {
		if item.get("type").text() == kind {
			return Condition{
				Present: true,
				Status:  item.get("status").text(),
				Reason:  item.get("reason").text(),
			}, item.get("message").text()
		}
	}
	return Condition{}, ""
}

func observedByCondition(object Object, kind string) int64 {
	for _, item := range object.root().get("status", "conditions").items() {
		if item.get("type").text() == kind {
			return item.get("observedGeneration").number()
		}
	}
	return 0
}

func readTime(n node) time.Time {
	at, err := time.Parse(time.RFC3339, n.text())
	if err != nil {
		return time.Time{}
	}
	return at
}
