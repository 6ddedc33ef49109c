// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var badDurationUnit = Rule{
	ID:          "bad-duration-unit",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Durations are Go durations, whose largest unit is the hour. The schema accepts any string; the operator does not.",
	Remedy:      "Write the duration in hours, minutes or seconds.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4426",
	Check:       checkBadDurationUnit,
}

func checkBadDurationUnit(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		interval := b.RefreshInterval
		if !interval.IsText {
			continue // the schema's business
		}
		if _, err := time.ParseDuration(interval.Text); err == nil {
			continue
		}
		out = append(out, finding.Finding{
			Object: b.ref, Path: string(interval.At),
			Message: fmt.Sprintf("%q is not a duration: units are h, m, s%s", interval.Text, inHours(interval.Text)),
		})
	}
	return out
}

var daysOrWeeks = regexp.MustCompile(`^(\d{1,4})([dw])$`)

// inHours says the same in hours, for the units that people miss.
func inHours(text string) string {
	match := daysOrWeeks.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	count, err := strconv.Atoi(match[1])
	if err != nil {
		return ""
	}
	hours := map[string]int{"d": 24, "w": 7 * 24}[match[2]]
	return fmt.Sprintf("; %s is %dh", text, count*hours)
}
