// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// listed is how many items a closing line names before it counts the rest.
const listed = 12

// explainedLine names what differs for a known reason. Marks that a controller
// puts on objects are counted by controller; fields are named one by one.
func explainedLine(entries []v1alpha1.DriftEntry, usual string) string {
	var items []string
	marks := map[string]int{}
	var order []string
	for i := range entries {
		e := &entries[i]
		key := markOf(e)
		if key == "" {
			items = append(items, e.Path+" of "+objectName(e.Object, usual)+reasonOf(e))
			continue
		}
		if marks[key] == 0 {
			order = append(order, key)
		}
		marks[key]++
	}
	for _, key := range order {
		word, by, _ := strings.Cut(key, " ")
		items = append(items, fmt.Sprintf("%s by %s", plural(marks[key], word), by))
	}
	if len(items) == 0 {
		return ""
	}
	return "explained, not counted: " + atMost(items, "--explained lists them") + "."
}

// markOf gives "annotation MANAGER" or the like for one added mark, or "".
func markOf(e *v1alpha1.DriftEntry) string {
	if e.Kind != v1alpha1.Added || e.Wanted != nil {
		return ""
	}
	for prefix, word := range map[string]string{"/metadata/annotations": "annotation", "/metadata/labels": "label"} {
		if strings.HasPrefix(e.Path, prefix) {
			return word + " " + managerNames(e)
		}
	}
	return ""
}

func reasonOf(e *v1alpha1.DriftEntry) string {
	if e.Explanation != "" {
		return " (" + e.Explanation + ")"
	}
	return " (" + strings.ToLower(string(e.Class)) + ", " + managerNames(e) + ")"
}

// ignoredLine says what the ignore rules hide: a rule is never silent.
func ignoredLine(app *v1alpha1.Application) string {
	var items []string
	for _, r := range app.Status.IgnoreRules {
		if r.Hidden == 0 {
			continue
		}
		items = append(items, fmt.Sprintf("%d by rule %d (%s)", r.Hidden, r.Rule, ruleReason(app, r.Rule)))
	}
	if own := app.Status.IgnoreAnnotations; own != nil && own.Hidden > 0 {
		items = append(items, fmt.Sprintf("%d by annotations of the objects", own.Hidden))
	}
	if len(items) == 0 {
		return ""
	}
	return "ignored: " + atMost(items, "-o yaml lists them") + "."
}

// rulesEnded names rules whose end has passed: what they hid shows again.
func rulesEnded(app *v1alpha1.Application) []string {
	var ended []string
	for _, r := range app.Status.IgnoreRules {
		if r.Expired {
			ended = append(ended, fmt.Sprintf("ignore rule %d (%s) has ended: what it hid shows again", r.Rule, ruleReason(app, r.Rule)))
		}
	}
	return ended
}

func ruleReason(app *v1alpha1.Application, rule int32) string {
	if rule < 0 || int(rule) >= len(app.Spec.Ignore) {
		return "no longer in the spec"
	}
	return app.Spec.Ignore[rule].Reason
}

// straysLine names what lives in the namespaces and belongs to nobody here.
func straysLine(d Drift, s screen.Style) string {
	strays := split(d.Entries, stray)
	if len(strays) == 0 {
		return ""
	}
	usual := home(d.Application)
	var items []string
	for i := range strays {
		e := &strays[i]
		items = append(items, objectName(e.Object, usual)+" ("+creator(e, s)+")")
	}
	return "strays in namespace " + usual + ": " + atMost(items, "-o yaml lists them")
}

// creator is who made a stray. An explanation that names an owner, such as a
// Helm release, says more than the field manager does.
func creator(e *v1alpha1.DriftEntry, s screen.Style) string {
	if _, owner, found := strings.Cut(e.Explanation, "owned by "); found {
		return owner
	}
	if len(e.Managers) == 0 {
		return "nobody"
	}
	m := e.Managers[0]
	if m.Role == unrecorded || m.Name == "" {
		return "nobody"
	}
	if m.LastWrite == nil {
		return m.Name
	}
	return m.Name + ", " + s.Day(m.LastWrite.Time)
}

func atMost(items []string, rest string) string {
	if len(items) <= listed {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more (%s)", strings.Join(items[:listed], ", "), len(items)-listed, rest)
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// readBy names the workloads that read the object, each once with all its ways.
func readBy(e *v1alpha1.DriftEntry, usual string) string {
	if len(e.Consumers) == 0 {
		return ""
	}
	var names []string
	ways := map[string][]string{}
	for _, c := range e.Consumers {
		name := objectName(v1alpha1.ObjectReference{Kind: c.Kind, Namespace: c.Namespace, Name: c.Name}, usual)
		if _, known := ways[name]; !known {
			names = append(names, name)
		}
		ways[name] = append(ways[name], c.How)
	}
	for i, name := range names {
		names[i] = name + " (" + strings.Join(ways[name], ", ") + ")"
	}
	text := "read by " + strings.Join(names, ", ")
	if e.MoreConsumers > 0 {
		text += fmt.Sprintf(" and %d more", e.MoreConsumers)
	}
	return text
}
