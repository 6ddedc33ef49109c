// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var mergeNoBase = Rule{
	ID:          "merge-no-base",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "creationPolicy Merge writes into a Secret that exists. Nobody creates this one, and the ExternalSecret reports Ready all the same.",
	Remedy:      "Declare the Secret, or use Owner; a Secret made outside Git belongs into a SecretPolicy as an external producer.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2894",
	Check:       checkMergeNoBase,
}

func checkMergeNoBase(in Input) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		at := secretName{es.Ref.Namespace, es.Target.Name}
		if es.Target.Creation != declaration.CreationMerge || es.Target.Generic || in.created(at) {
			continue
		}
		f := finding.Finding{
			Object: es.Ref, Path: string(es.Target.At),
			Message: fmt.Sprintf("Merge needs Secret %s to exist, and nothing in Git creates it%s", at.name, in.liveHint(at)),
		}
		if unread, any := in.unreadIn(at.namespace); any {
			f.Severity = secretsv1.SeverityUnknown
			f.Message = fmt.Sprintf("whether anything creates Secret %s, which Merge needs, cannot be told: %s", at.name, unread.because())
		}
		out = append(out, f)
	}
	return out
}

// created says whether anything brings a Secret into being.
func (in Input) created(at secretName) bool {
	for _, production := range in.index.productions[at] {
		if production.Creates {
			return true
		}
	}
	return len(in.outside(at)) > 0
}
