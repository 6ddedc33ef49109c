// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

// Level is how much of a request the API server writes down.
type Level string

const (
	// Metadata is who, what, when and the answer's code.
	Metadata Level = "Metadata"
	// Request adds the body that was sent; the log then holds Secret values.
	Request Level = "Request"
	// RequestResponse adds the answer's body as well.
	RequestResponse Level = "RequestResponse"
)

// Policy is an audit policy that logs every request at one level, when it has
// been answered: the only stage that Read looks at.
func Policy(level Level) string {
	return `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
  - level: ` + string(level) + "\n"
}
