// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"

// classOf maps the words of expectations to those of the API.
var classOf = map[string]api.Class{
	"manual": api.ClassManual, "controller": api.ClassController, "webhook": api.ClassWebhook,
	"unowned": api.ClassUnowned, "default": api.ClassDefault, "missing": api.ClassMissing,
	"orphan": api.ClassStray, "prune": api.ClassRemoved, "pending": api.ClassPending,
	"contested": api.ClassContested, "unknown": api.ClassUnknown,
}

// ClassOf is the API's word for a word of an expectation; empty for any.
func ClassOf(word string) api.Class { return classOf[word] }

const anyClass = "any"

func hasClass(l Line, word string) bool {
	return word == anyClass || classOf[word] == l.Class
}
