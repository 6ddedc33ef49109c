// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Closing are the findings that close the readiness gate.
func Closing(findings []secrets.Finding) []secrets.Finding {
	var out []secrets.Finding
	for _, f := range findings {
		if f.Gate == secrets.GateReadiness && f.Severity == secrets.SeverityError {
			out = append(out, f)
		}
	}
	return out
}

// Readers are the objects to hold, with the reason.
func Readers(closing []secrets.Finding, objects []desired.Object, index consumers.Index) map[manifest.ID]string {
	held := map[manifest.ID]string{}
	for _, f := range closing {
		for _, secret := range deliveredBy(f.Object, objects) {
			for _, reader := range index[secret] {
				if producers[reader.ID.Kind] || held[reader.ID] != "" {
					continue
				}
				held[reader.ID] = fmt.Sprintf("spec.secrets.gate is Enforce: it reads Secret %s, which was not delivered: %s", secret.Name, f.Message)
			}
		}
	}
	return held
}

// producers are the kinds that bring Secrets, and are never held for one.
var producers = map[string]bool{
	"ExternalSecret": true, "ClusterExternalSecret": true, "SecretStore": true, "ClusterSecretStore": true, "PushSecret": true,
	"SealedSecret": true, "Certificate": true, "Issuer": true, "ClusterIssuer": true, "Secret": true, "ServiceAccount": true, "Namespace": true,
}

// deliveredBy lists the Secrets that an object of a finding was to bring.
func deliveredBy(ref secrets.ObjectReference, objects []desired.Object) []manifest.ID {
	if ref.Kind == "Secret" {
		return []manifest.ID{{Kind: "Secret", Namespace: ref.Namespace, Name: ref.Name}}
	}
	var found []manifest.ID
	for _, o := range objects {
		if !brought[o.ID().Kind] {
			continue
		}
		// What cannot be read here could not be compared either, and says so.
		full, err := o.Full()
		if err != nil {
			continue
		}
		if target := targetOf(full.Unstructured); target != "" && brings(full.Unstructured, ref) {
			found = append(found, manifest.ID{Kind: "Secret", Namespace: full.GetNamespace(), Name: target})
		}
	}
	return found
}

// brought are the kinds that bring a Secret which is declared nowhere else.
var brought = map[string]bool{"ExternalSecret": true, "SealedSecret": true, "Certificate": true}

// brings says whether the object is the one of a finding, or fetches from the
// store of a finding.
func brings(o *unstructured.Unstructured, ref secrets.ObjectReference) bool {
	if o.GetKind() == ref.Kind && o.GetNamespace() == ref.Namespace && o.GetName() == ref.Name {
		return true
	}
	name, kind := text(o, "spec", "secretStoreRef", "name"), cmp.Or(text(o, "spec", "secretStoreRef", "kind"), "SecretStore")
	return o.GetKind() == "ExternalSecret" && name == ref.Name && kind == ref.Kind &&
		(ref.Namespace == "" || ref.Namespace == o.GetNamespace())
}

// targetOf is the Secret that a producer writes; empty for other kinds.
func targetOf(o *unstructured.Unstructured) string {
	switch o.GetKind() {
	case "ExternalSecret":
		return cmp.Or(text(o, "spec", "target", "name"), o.GetName())
	case "SealedSecret":
		return o.GetName()
	case "Certificate":
		return text(o, "spec", "secretName")
	}
	return ""
}

func text(o *unstructured.Unstructured, fields ...string) string {
	value, _, _ := unstructured.NestedString(o.Object, fields...)
	return value
}
