// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

// violation is what a schema has against an object, weighed against the
// release that it is to be applied to.
type violation struct {
	schema.Violation
	object secretsv1.ObjectReference
	// newer: a later release than the one at hand takes it.
	newer bool
	since schema.Version
	// live: the schema is that of the cluster, so the answer is certain.
	live bool
}

// findViolations compares every object of the operator's kinds with the
// cluster's schema or, where that is not known, with the one that comes along
// and what later releases changed.
func (in Input) findViolations() []violation {
	var out []violation
	for _, object := range in.Declared.Shaped {
		found, live := in.schemaFor(object.Ref)
		if !found.Known() {
			continue
		}
		for _, v := range found.Check(object.Content()) {
			since, later := schema.Explains(object.Ref.Kind, v)
			next := violation{Violation: v, object: object.Ref, since: since, live: live}
			if later {
				next.newer = live || !in.Scope.Operator.IsZero() && in.Scope.Operator.Before(since)
				if !next.newer {
					continue // the release at hand takes it
				}
			}
			out = append(out, next)
		}
	}
	return out
}

// schemaFor prefers the cluster's schema.
func (in Input) schemaFor(ref secretsv1.ObjectReference) (found schema.Schema, live bool) {
	group, version, _ := strings.Cut(ref.APIVersion, "/")
	if definition, has := in.Live.Definitions[group+"/"+ref.Kind]; has {
		return definition.Versions[version], true
	}
	found, _ = schema.Bundled(ref.APIVersion, ref.Kind)
	return found, false
}

func (in Input) schemaOf(ref secretsv1.ObjectReference) (schema.Schema, bool) {
	found, _ := in.schemaFor(ref)
	return found, found.Known()
}

// violations lists those that a rule speaks about.
func (in Input) violations(of func(violation) bool) []finding.Finding {
	var out []finding.Finding
	for _, v := range in.index.violations {
		if !of(v) {
			continue
		}
		f := spot(v.object, declaration.Pointer("").Child(v.Path...), "%s %s", fieldName(v), v.Message)
		switch {
		case v.newer:
			f.Message = fmt.Sprintf("%s %s; it came with release %s", fieldName(v), v.Message, v.since)
			if v.live {
				f.Severity = secretsv1.SeverityError
			}
		case v.Fault == schema.Unknown || v.Fault == schema.NotListed:
			f = in.guessed(f, v)
		}
		out = append(out, f)
	}
	return out
}

// guessed weighs a field or a word that the schema does not know. The schema of
// the cluster, or that of a release somebody names, is certain. Without either
// a slip of the pen is still one; anything else may be newer than what is known
// here.
func (in Input) guessed(f finding.Finding, v violation) finding.Finding {
	const slip = 2
	near := nearest(v.Word, v.Allowed)
	f.Message += suggestion(v.Word, v.Allowed)
	if v.live || !in.Scope.Operator.IsZero() || near != "" && distance(strings.ToLower(v.Word), strings.ToLower(near)) <= slip {
		return f
	}
	f.Message += "; a release that is not known here may take it"
	return graded(f, secretsv1.SeverityUnknown)
}

func fieldName(v violation) string {
	if name := v.Field(); name != "" {
		return name
	}
	return "the object"
}
