// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// clash is one ExternalSecret whose target somebody else writes as well.
type clash struct {
	es    declaration.ExternalSecret
	other declaration.Production
}

// clashes pairs each declared ExternalSecret with every other producer of its
// target, in this Application or in another.
func (in Input) clashes() []clash {
	var out []clash
	for _, es := range in.Declared.ExternalSecrets {
		if es.Target.Creation == declaration.CreationNone || es.Target.Generic {
			continue
		}
		for _, production := range in.index.productions[secretName{es.Ref.Namespace, es.Target.Name}] {
			if production.Application != "" || production.By != es.Ref {
				out = append(out, clash{es: es, other: production})
			}
		}
	}
	return out
}

// clearsOthers says whether a policy writes the target as a whole, and with it
// removes the keys that others put there.
func clearsOthers(policy declaration.CreationPolicy) bool {
	return policy == declaration.CreationOwner || policy == declaration.CreationOrphan
}

// againstKind is the rule body for an ExternalSecret that writes the target
// as a whole while an object of another kind produces it too.
func (in Input) againstKind(consequence string, kinds ...string) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		if !clearsOthers(c.es.Target.Creation) {
			continue
		}
		for _, kind := range kinds {
			if c.other.By.Kind == kind {
				out = append(out, finding.Finding{
					Object: c.es.Ref, Path: string(c.es.Target.NameAt()),
					Message: fmt.Sprintf("%s produces Secret %s too: %s", titleOf(c.other), c.es.Target.Name, consequence),
				})
			}
		}
	}
	return out
}
