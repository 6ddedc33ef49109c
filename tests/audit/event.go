// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Object is what a request was about, as far as its path said so.
type Object struct {
	Group, Version, Resource, Subresource string
	// Name is empty for collections, and for a create whose body has the name.
	Namespace, Name string
}

// Event is one answered request.
type Event struct {
	ID string
	// User authenticated; ImpersonatedUser is whom it acted as, if anyone.
	User, ImpersonatedUser string
	UserAgent              string
	Verb                   string
	Object                 Object
	RequestURI             string
	DryRun                 bool
	// Code is the HTTP status of the answer.
	Code                int
	Received, Completed time.Time
}

// Actor is whose rights were used: the impersonated user, or the user.
func (e Event) Actor() string {
	if e.ImpersonatedUser != "" {
		return e.ImpersonatedUser
	}
	return e.User
}

// FieldManager is the one that the request names in its query.
func (e Event) FieldManager() string { return e.query().Get("fieldManager") }

// IsWrite tells whether the request asked to change something stored, dry runs
// included and whatever the answer was. Reviews and tokens are created and
// never stored, so they are questions.
func (e Event) IsWrite() bool {
	switch e.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return !e.isQuestion()
	}
	return false
}

// IsPersisting tells whether the request asked for a write that is no dry run,
// also if it was refused: a promise not to write is broken by asking.
func (e Event) IsPersisting() bool { return e.IsWrite() && !e.DryRun }

func (e Event) isQuestion() bool {
	switch e.Object.Group {
	case "authorization.k8s.io", "authentication.k8s.io":
		return true
	}
	return e.Object.Resource == "serviceaccounts" && e.Object.Subresource == "token"
}

func (e Event) query() url.Values {
	uri, err := url.Parse(e.RequestURI)
	if err != nil {
		return nil
	}
	return uri.Query()
}

// String is a line for a failed test: who did what, to which object, and how
// it was answered.
func (e Event) String() string {
	actor := e.User
	if e.ImpersonatedUser != "" {
		actor += " as " + e.ImpersonatedUser
	}
	resource := e.Object.Resource
	if e.Object.Subresource != "" {
		resource += "/" + e.Object.Subresource
	}
	if e.Object.Group != "" {
		resource += "." + e.Object.Group
	}
	name := strings.Trim(e.Object.Namespace+"/"+e.Object.Name, "/")
	if resource == "" {
		resource, name = e.RequestURI, ""
	}
	dry := ""
	if e.DryRun {
		dry = " (dry run)"
	}
	line := fmt.Sprintf("%s %s: %s %s %s%s: %d",
		e.Received.UTC().Format("15:04:05.000"), actor, e.Verb, resource, name, dry, e.Code)
	return strings.Join(strings.Fields(line), " ")
}
