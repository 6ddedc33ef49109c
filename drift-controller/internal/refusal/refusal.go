// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package refusal

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is what a refusal says.
type Kind string

// The kinds.
const (
	// Absent: there is no such object.
	Absent Kind = "Absent"
	// NoNamespace: the namespace of the object does not exist.
	NoNamespace Kind = "NoNamespace"
	// Unserved: the server knows no such resource, or no longer.
	Unserved Kind = "Unserved"
	// Denied: the account lacks a right.
	Denied Kind = "Denied"
	// Invalid: the server does not accept what the manifest says.
	Invalid Kind = "Invalid"
	// Policy: admission, a quota or a conflict, which say little about the
	// manifest.
	Policy Kind = "Policy"
	// Unreachable: no answer, or none that means anything about the object.
	Unreachable Kind = "Unreachable"
)

// Refusal is an error, read.
type Refusal struct {
	Kind Kind
	// Words of the server, with values masked.
	Words string
	// Causes are its single complaints, unmasked: to compare two refusals
	// with, never to be shown.
	causes []string
}

// Shares says whether both complain about the same thing.
func (r Refusal) Shares(other Refusal) bool {
	return slices.ContainsFunc(r.causes, func(c string) bool { return slices.Contains(other.causes, c) })
}

// texts that tell what the status code does not. The first that fits decides.
var texts = []struct {
	kind    Kind
	pattern *regexp.Regexp
}{
	// RBAC's refusals are 403, as are those of quotas and of admission.
	{Denied, regexp.MustCompile(`is forbidden: User ".*" cannot [a-z*]+ `)},
	// A webhook chooses its own code, 400 and 500 included.
	{Policy, regexp.MustCompile(`admission webhook ".*" (denied the request|does not support dry run)`)},
	{Policy, regexp.MustCompile(`failed calling webhook|failed to call webhook`)},
	// What keeps a conversion from its webhook reads like an outage of the
	// server, and is one of a single kind.
	{Policy, regexp.MustCompile(`conversion webhook (for|response)`)},
	{Policy, regexp.MustCompile(`AdmissionPolicy '.*' with binding '.*' denied request`)},
	// What may not change on the live object says nothing against the manifest.
	{Policy, regexp.MustCompile(`is immutable|may not be (changed|updated)|updates to [a-z]+ spec for fields other than`)},
	// A field of the wrong type and one that cannot be read answer 500.
	{Invalid, regexp.MustCompile(`^failed to (create typed patch object|convert new object|create typed new object)`)},
	{Invalid, regexp.MustCompile(`unable to convert unstructured object|cannot be handled as a|strict decoding error`)},
}

// Of reads an error. Nil has no refusal and must not be asked.
func Of(err error, hide Hide) Refusal {
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return Refusal{Kind: Unreachable, Words: hide.Mask(err.Error())}
	}
	status := api.Status()
	return Refusal{Kind: kindOf(status), Words: hide.Mask(status.Message), causes: causesOf(status, hide.Name)}
}

func kindOf(s metav1.Status) Kind {
	for _, t := range texts {
		if t.pattern.MatchString(s.Message) {
			return t.kind
		}
	}
	switch s.Code {
	case http.StatusNotFound:
		return missing(s)
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return Invalid
	case http.StatusInternalServerError:
		if outage.MatchString(s.Message) {
			return Unreachable
		}
		// A conversion webhook that is down, an object that storage cannot
		// decode: one kind or one object, and nothing about the server.
		return Policy
	case http.StatusForbidden, http.StatusConflict, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType:
		return Policy
	}
	return Unreachable
}

// outage: the server itself has no storage behind it, or not enough time.
var outage = regexp.MustCompile(`etcdserver|rpc error|(?i)timed? ?out|deadline exceeded|connection (refused|reset)|unavailable|shutting down|too many requests|EOF`)

// missing tells an absent object from an absent kind: the answer of a path
// that nobody serves has no name in it. Taken for one another, the removal of
// a CRD would show as the loss of its objects.
func missing(s metav1.Status) Kind {
	if s.Details == nil || s.Details.Name == "" {
		return Unserved
	}
	if s.Details.Kind == "namespaces" && s.Details.Group == "" {
		return NoNamespace
	}
	return Absent
}

// causesOf lists complaints in a form that does not depend on the name under
// which the object was sent.
func causesOf(s metav1.Status, name string) []string {
	var causes []string
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			causes = append(causes, c.Field+": "+c.Message)
		}
	}
	if len(causes) == 0 {
		causes = append(causes, s.Message)
	}
	for i, c := range causes {
		causes[i] = index.ReplaceAllLiteralString(strings.ReplaceAll(c, name, ""), "[]")
	}
	return causes
}

// index of a list item: over the live object the declared items stand behind
// those that are there, so the same complaint names another place.
var index = regexp.MustCompile(`\[[0-9]+\]`)
