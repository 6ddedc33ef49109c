// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var hashSuffixVsEs = Rule{
	ID:          "hash-suffix-vs-es",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "kustomize adds a hash to the name of a generated Secret and follows it into the fields that it knows; this field kept the plain name.",
	Remedy:      "Tell kustomize of the field with a nameReference, or switch the hash off.",
	Source:      "https://github.com/kubernetes-sigs/kustomize/issues/4781",
	Check:       checkHashSuffixVsEs,
}

func checkHashSuffixVsEs(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		if v := in.resolve(ref); v.supply != undeclared {
			continue
		}
		for _, name := range in.index.namesIn(ref.Namespace) {
			if rest, is := strings.CutPrefix(name, ref.Secret+"-"); is && hashSuffix.MatchString(rest) {
				out = append(out, spot(ref.By, ref.SecretAt, "Secret %s is declared with a hash, as %s", ref.Secret, name))
			}
		}
	}
	return out
}

var hashSuffix = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{10}$`)
