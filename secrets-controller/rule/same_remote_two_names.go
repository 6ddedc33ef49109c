// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sameRemoteTwoNames = Rule{
	ID:          "same-remote-two-names",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One remote value stands in several Secrets: whoever rotates it has to know all of them.",
	Remedy:      "Nothing has to be done; the list is for the rotation.",
	Source:      "https://github.com/waifulabs/infrastructure/issues/5557",
	Check:       checkSameRemoteTwoNames,
}

func checkSameRemoteTwoNames(in Input) []finding.Finding {
	var out []finding.Finding
	uses := in.remoteUses()
	for _, id := range slices.Sorted(maps.Keys(uses)) {
		var names []string
		for _, use := range uses[id] {
			if name := finding.Name(use.es.Ref); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(names) > 1 {
			_, remote, _ := strings.Cut(id, " ")
			first := uses[id][0]
			out = append(out, spot(first.es.Ref, first.at, "%s is read by %s", remote, listed(names)))
		}
	}
	return out
}
