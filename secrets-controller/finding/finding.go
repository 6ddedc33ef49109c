// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Finding is what one rule says about one place.
type Finding struct {
	Rule     string
	Severity secretsv1.Severity
	Gate     secretsv1.FindingGate
	Object   secretsv1.ObjectReference
	// Path is a JSON pointer into the object; empty is the object as a whole.
	Path    string
	Message string
	Remedy  string
	// Evidence is a keyed digest of the value the finding is about, if any.
	// With it a waiver ends when the value changes.
	Evidence string
}

// Fingerprint identifies the finding across revisions. The version of the
// object's API and the wording are left out: neither makes it another fault.
func (f Finding) Fingerprint() string {
	sum := sha256.New()
	group, _, found := strings.Cut(f.Object.APIVersion, "/")
	if !found {
		group = ""
	}
	for _, part := range []string{f.Rule, group, f.Object.Kind, f.Object.Namespace, f.Object.Name, f.Path, f.Evidence} {
		// Length-prefixed, so that no two lists of parts run together.
		_, _ = io.WriteString(sum, fmt.Sprintf("%d:%s;", len(part), part))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// String is the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s %s: %s %s: %s", f.Severity, f.Rule, f.Object.Kind, Name(f.Object), f.Message)
}

// Name is namespace/name, or the name of a cluster-scoped object.
func Name(ref secretsv1.ObjectReference) string {
	if ref.Namespace == "" {
		return ref.Name
	}
	return ref.Namespace + "/" + ref.Name
}

var ranks = map[secretsv1.Severity]int{
	secretsv1.SeverityError:   0,
	secretsv1.SeverityWarning: 1,
	secretsv1.SeverityUnknown: 2,
	secretsv1.SeverityInfo:    3,
}

// Sort brings findings into a total order: the worst first, then by gate,
// object, path and rule.
func Sort(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(ranks[a.Severity], ranks[b.Severity]),
			cmp.Compare(a.Gate, b.Gate),
			cmp.Compare(a.Object.Namespace, b.Object.Namespace),
			cmp.Compare(a.Object.Kind, b.Object.Kind),
			cmp.Compare(a.Object.Name, b.Object.Name),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// Count counts findings by severity.
func Count(findings []Finding) secretsv1.FindingCounts {
	var counts secretsv1.FindingCounts
	for _, f := range findings {
		switch f.Severity {
		case secretsv1.SeverityError:
			counts.Errors++
		case secretsv1.SeverityWarning:
			counts.Warnings++
		case secretsv1.SeverityInfo:
			counts.Infos++
		case secretsv1.SeverityUnknown:
			counts.Unknown++
		}
	}
	return counts
}
