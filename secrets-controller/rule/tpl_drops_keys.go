// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplDropsKeys = Rule{
	ID:          "tpl-drops-keys",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Without mergePolicy Merge a template replaces what was fetched: only its own keys are written. A workload reads a key that is fetched and dropped.",
	Remedy:      "Add the key to template.data, or set mergePolicy: Merge.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/124",
	Check:       checkTplDropsKeys,
}

func checkTplDropsKeys(in Input) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		template := es.Target.Template
		if template == nil || template.Merge || !template.DeclaresData {
			continue
		}
		keys, readers := in.droppedKeys(es)
		if len(keys) > 0 {
			out = append(out, finding.Finding{
				Object: es.Ref, Path: string(template.At),
				Message: fmt.Sprintf("%s is fetched and not in the template, whose mergePolicy is Replace; read by %s",
					listed(keys), strings.Join(readers, ", ")),
			})
		}
	}
	return out
}

// droppedKeys are the fetched keys that the template leaves out although
// somebody reads them, and the readers.
func (in Input) droppedKeys(es declaration.ExternalSecret) (keys, readers []string) {
	fetched := in.Declared.FetchedKeys(es.Spec, es.Ref.Namespace).Known
	for _, ref := range in.index.consumers[secretName{es.Ref.Namespace, es.Target.Name}] {
		if in.resolve(ref).supply != keyMissing || !slices.Contains(fetched, ref.Key) {
			continue
		}
		if !slices.Contains(keys, ref.Key) {
			keys = append(keys, ref.Key)
		}
		if reader := title(ref.By); !slices.Contains(readers, reader) {
			readers = append(readers, reader)
		}
	}
	return keys, readers
}
