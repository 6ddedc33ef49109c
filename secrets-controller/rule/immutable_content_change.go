// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"reflect"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var immutableContentChange = Rule{
	ID:          "immutable-content-change",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The target is immutable, and this commit changes what it should hold. The operator passes over it in silence and even records the change as synced.",
	Remedy:      "Choose a new target name with the change.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3604",
	Check:       checkImmutableContentChange,
}

func checkImmutableContentChange(in Input) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		was, existed := in.before(es.Ref)
		if !existed || !was.Target.Immutable || !es.Target.Immutable || was.Target.Name != es.Target.Name {
			continue
		}
		for i, item := range es.Data {
			if !slices.ContainsFunc(was.Data, func(old declaration.DataItem) bool { return old.Key == item.Key }) {
				out = append(out, spot(es.Ref, es.Base.Child("data", i), "key %s is added to immutable Secret %s and never arrives", item.Key, es.Target.Name))
			}
		}
		for _, old := range was.Data {
			if !slices.ContainsFunc(es.Data, func(item declaration.DataItem) bool { return old.Key == item.Key }) {
				out = append(out, spot(es.Ref, es.Base.Child("data"), "key %s is removed from immutable Secret %s and stays", old.Key, es.Target.Name))
			}
		}
		if len(was.DataFrom) != len(es.DataFrom) || !reflect.DeepEqual(templateKeys(was.Spec), templateKeys(es.Spec)) {
			out = append(out, spot(es.Ref, es.Target.At, "the content of immutable Secret %s is changed, and the change never arrives", es.Target.Name))
		}
	}
	return out
}

func templateKeys(spec declaration.Spec) []string {
	if spec.Target.Template == nil {
		return nil
	}
	return spec.Target.Template.Keys.Known
}
