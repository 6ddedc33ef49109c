// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var leakRemovedFromHead = Rule{
	ID:          "leak-removed-from-head",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A value that stood in the open was removed. It stays in the history of Git: removing is not enough.",
	Remedy:      "Replace the value, and acknowledge it in a SecretPolicy with a waiver for this fingerprint that says rotated.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkLeakRemovedFromHead,
}

func checkLeakRemovedFromHead(in Input) []finding.Finding {
	var out []finding.Finding
	present := map[string]bool{}
	for _, f := range in.openNow() {
		present[placeOfLeak(f)] = true
	}
	for _, f := range in.Leaked {
		if present[placeOfLeak(f)] {
			continue
		}
		out = append(out, gone(f))
	}
	return out
}

// gone is the finding about a leak that was removed. It bears its own rule, as
// the fingerprint that a policy names does.
func gone(f finding.Finding) finding.Finding {
	return finding.Finding{
		Rule: "leak-removed-from-head", Object: f.Object, Path: f.Path, Evidence: f.Evidence,
		Message: "a value that stood in the open here (" + f.Rule + ") was removed and stays in the history of Git: rotate it",
	}
}

// placeOfLeak tells one leak from another: a new value at the same place is a
// leak of its own, and the old one still has to be rotated.
func placeOfLeak(f finding.Finding) string {
	return fmt.Sprint(f.Object.Kind, " ", f.Object.Namespace, "/", f.Object.Name, f.Path, " ", f.Evidence)
}

// openNow are the leaks of this revision.
func (in Input) openNow() []finding.Finding {
	var out []finding.Finding
	for _, o := range in.Declared.Open {
		if id := ruleFor(o); id != "" {
			out = append(out, finding.Finding{Rule: id, Object: o.Ref, Path: string(o.At), Evidence: o.Evidence})
		}
	}
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if leaf.Stands() {
				out = append(out, finding.Finding{Rule: "plain-secret-data", Object: secret.Ref, Path: string(leaf.At), Evidence: leaf.Evidence})
			}
		}
	}
	return out
}

// Unrotated joins leaks that are remembered in two places, without those that
// somebody acknowledged as rotated. That is for good: the value is worth
// nothing any more, whatever becomes of the policy.
func Unrotated(in Input, further []finding.Finding) []finding.Finding {
	var out []finding.Finding
	known := map[string]bool{}
	for _, f := range slices.Concat(in.Leaked, further) {
		if place := placeOfLeak(f); !known[place] && !in.Policy.Rotated(gone(f)) {
			known[place] = true
			out = append(out, f)
		}
	}
	return out
}

// Remember is what the report has to keep for the revisions to come: the leaks
// that are gone from Git first, since the others can be found again.
func Remember(in Input) []finding.Finding {
	now := in.openNow()
	present := map[string]bool{}
	for _, f := range now {
		present[placeOfLeak(f)] = true
	}
	var out []finding.Finding
	for _, f := range in.Leaked {
		if !present[placeOfLeak(f)] {
			out = append(out, f)
		}
	}
	return append(out, now...)
}

// Leaks lists what stands in the open in a declaration, for the memory of the
// revision after it.
func Leaks(set declaration.Set) []finding.Finding { return Input{Declared: set}.openNow() }
