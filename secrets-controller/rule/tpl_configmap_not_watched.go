// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplConfigmapNotWatched = Rule{
	ID:          "tpl-configmap-not-watched",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator does not watch the ConfigMap of a template: an edit arrives at the next refresh.",
	Remedy:      "Nothing has to be done, unless there is no next refresh.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1430",
	Check:       checkTplConfigmapNotWatched,
}

func checkTplConfigmapNotWatched(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		sources := templateSources(es, "configMap")
		if len(sources) == 0 {
			return nil
		}
		f := spot(es.Ref, sources[0].At, "an edit of ConfigMap %s arrives at the next refresh", sources[0].Name)
		if _, renewed := renewal(es.Spec); !renewed {
			f = graded(f, secretsv1.SeverityWarning)
			f.Message = "an edit of ConfigMap " + sources[0].Name + " never arrives: nothing refreshes this ExternalSecret"
		}
		return one(f)
	})
}
