// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// credential is one Secret that a store logs in with.
type credential struct {
	store declaration.Store
	declaration.Credential
}

func (c credential) at() secretName { return secretName{c.Namespace, c.Name} }

// credentials lists what the declared stores log in with, where the namespace
// is known: one that leaves a SecretStore's namespace is the fault of another
// rule, and a cluster store without one means that of each user.
func (in Input) credentials() []credential {
	var out []credential
	for _, store := range in.Declared.Stores {
		for _, c := range store.Credentials {
			foreign := store.Ref.Kind == declaration.SecretStoreKind && c.Namespace != store.Ref.Namespace
			if c.Namespace != "" && !foreign {
				out = append(out, credential{store: store, Credential: c})
			}
		}
	}
	return out
}

// undeclaredCredential says what is wrong with a credential that no object
// produces: a root that people accepted, a hole, or something not known.
func (in Input) undeclaredCredential(c credential) finding.Finding {
	f := finding.Finding{Object: c.store.Ref, Path: string(c.At.Child("name"))}
	unread, doubt := in.unreadIn(c.Namespace)
	live, written := in.index.liveTargets[c.at()]
	switch {
	case len(in.outside(c.at())) > 0:
		f.Severity = secretsv1.SeverityWarning
		f.Message = fmt.Sprintf("the store logs in with Secret %s, a bootstrap root that is kept outside Git on purpose", c.Name)
		f.Remedy = "Keep the root in the list of what a rebuilt cluster needs first."
	case doubt:
		f.Severity = secretsv1.SeverityUnknown
		f.Message = fmt.Sprintf("whether Git declares Secret %s, with which the store logs in, cannot be told: %s", c.Name, unread.because())
	case written:
		f.Severity = secretsv1.SeverityUnknown
		f.Message = fmt.Sprintf("%s writes Secret %s in the cluster, and no Application declares that object", title(live), c.Name)
	default:
		f.Message = fmt.Sprintf("the store logs in with Secret %s of namespace %s, which nothing in Git produces%s: an undeclared bootstrap root",
			c.Name, c.Namespace, in.liveHint(c.at()))
	}
	return f
}
