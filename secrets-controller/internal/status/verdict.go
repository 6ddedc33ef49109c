// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"fmt"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// The longest texts that the schema of SecretReport takes, in characters.
const (
	reasonLength  = 512
	messageLength = 1024
	ruleLength    = 63
)

// verdict judges one gate. An error denies, whatever else is unknown: it is
// there, and more knowledge does not take it away.
func verdict(findings []finding.Finding, gate secretsv1.FindingGate, unread []string) *secretsv1.VerdictStatus {
	var errors, unknowns []finding.Finding
	warnings := 0
	for _, f := range findings {
		if f.Gate != gate {
			continue
		}
		switch f.Severity {
		case secretsv1.SeverityError:
			errors = append(errors, f)
		case secretsv1.SeverityUnknown:
			unknowns = append(unknowns, f)
		case secretsv1.SeverityWarning:
			warnings++
		case secretsv1.SeverityInfo:
			// Says something, and moves no gate.
		}
	}
	switch {
	case len(errors) > 0:
		return verdictOf(secretsv1.VerdictDeny, fmt.Sprintf("%s; the first: %s", counted(len(errors), "error"), errors[0]))
	case len(unread) > 0:
		return verdictOf(secretsv1.VerdictUnknown, strings.Join(unread, "; "))
	case len(unknowns) > 0:
		return verdictOf(secretsv1.VerdictUnknown, fmt.Sprintf("%s cannot be decided; the first: %s", counted(len(unknowns), "point"), unknowns[0]))
	case warnings > 0:
		return verdictOf(secretsv1.VerdictPass, "no error, "+counted(warnings, "warning"))
	}
	return verdictOf(secretsv1.VerdictPass, "no error")
}

func verdictOf(v secretsv1.Verdict, reason string) *secretsv1.VerdictStatus {
	return &secretsv1.VerdictStatus{Verdict: v, Reason: cut(reason, reasonLength)}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// headline is the finding that matters most, or what stands in the way.
func headline(result rule.Result) string {
	for _, f := range result.Findings {
		if f.Severity != secretsv1.SeverityInfo {
			return cut(f.String(), reasonLength)
		}
	}
	if unread := slices.Concat(result.UnreadSource, result.Unread); len(unread) > 0 {
		return cut(unread[0], reasonLength)
	}
	return ""
}

// cut shortens a text to a number of characters.
func cut(text string, length int) string {
	runes := []rune(text)
	if len(runes) <= length {
		return text
	}
	return string(runes[:length-1]) + "…"
}
