// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// body is the body of an ExternalSecret together with the object it stands in.
type body struct {
	ref secretsv1.ObjectReference
	declaration.Spec
}

// bodies lists every body, those within ClusterExternalSecrets included: no
// admission webhook looks at these, so nobody else does before they are used.
func (in Input) bodies() []body {
	var out []body
	for _, es := range in.Declared.ExternalSecrets {
		out = append(out, body{ref: es.Ref, Spec: es.Spec})
	}
	for _, ces := range in.Declared.ClusterExternalSecrets {
		out = append(out, body{ref: ces.Ref, Spec: ces.Spec})
	}
	return out
}
