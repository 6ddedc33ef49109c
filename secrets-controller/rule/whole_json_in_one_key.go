// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var wholeJsonInOneKey = Rule{
	ID:          "whole-json-in-one-key",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One place reads a remote value as a whole, while others read parts of it: the key will hold the text of an object, where a consumer expects a scalar.",
	Remedy:      "Name the property.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4336",
	Check:       checkWholeJsonInOneKey,
}

func checkWholeJsonInOneKey(in Input) []finding.Finding {
	return in.oddReads(false)
}

// remoteUse is one place that reads a remote value.
type remoteUse struct {
	es       declaration.ExternalSecret
	at       declaration.Pointer
	property bool
	extract  bool
}

// remoteUses lists who reads which remote value of which store.
func (in Input) remoteUses() map[string][]remoteUse {
	out := map[string][]remoteUse{}
	for _, es := range in.Declared.ExternalSecrets {
		store := es.Store.KindOrDefault() + "/" + es.Store.Name
		if es.Store.KindOrDefault() == declaration.SecretStoreKind {
			store += "/" + es.Ref.Namespace
		}
		for _, item := range es.Data {
			if item.Source.Store == nil && item.Source.Generator == nil && item.RemoteKey != "" {
				id := store + " " + item.RemoteKey
				out[id] = append(out[id], remoteUse{es: es, at: item.Remote.At, property: item.Property != ""})
			}
		}
		for _, item := range es.DataFrom {
			if item.HasExtract && item.Source.Store == nil {
				id := store + " " + item.ExtractKey
				out[id] = append(out[id], remoteUse{es: es, at: item.Remote.At, extract: true})
			}
		}
	}
	return out
}

// oddReads finds the minority among those that read one value in two shapes:
// parts of it, or all of it under one key.
func (in Input) oddReads(property bool) []finding.Finding {
	var out []finding.Finding
	uses := in.remoteUses()
	for _, id := range slices.Sorted(maps.Keys(uses)) {
		var parts, wholes []remoteUse
		for _, use := range uses[id] {
			switch {
			case use.property:
				parts = append(parts, use)
			case !use.extract:
				wholes = append(wholes, use)
			}
		}
		if len(parts) == 0 || len(wholes) == 0 {
			continue
		}
		_, remote, _ := strings.Cut(id, " ")
		odd, others, what := wholes, parts, "as a whole, without a property"
		if len(parts) < len(wholes) {
			odd, others, what = parts, wholes, "by property"
		}
		if (len(parts) < len(wholes)) != property {
			continue
		}
		for _, use := range odd {
			out = append(out, spot(use.es.Ref, use.at, "%s is read %s here, and otherwise in %s: a value is either an object or a scalar", remote, what, title(others[0].es.Ref)))
		}
	}
	return out
}
