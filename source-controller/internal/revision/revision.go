// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package revision

import "fmt"

// Algorithms of the object names that a revision carries.
const (
	SHA1    = "sha1"
	SHA256  = "sha256"
	unknown = "<unknown>"
)

// Revision is one version of a source.
type Revision struct {
	// Name is what the user asked for: a branch or tag in its short form, or a
	// full reference. Empty where a bare commit was asked for.
	Name string
	// Hash is the object name in lower-case hexadecimal.
	Hash string
}

// String is the form of status.artifact.revision.
func (r Revision) String() string {
	if r.Hash == "" {
		return r.Name
	}
	if r.Name == "" {
		return r.digest()
	}
	return fmt.Sprintf("%s@%s", r.Name, r.digest())
}

// digest qualifies the object name by its algorithm, which Git tells only by
// the length.
func (r Revision) digest() string {
	algorithm := unknown
	switch len(r.Hash) {
	case 40:
		algorithm = SHA1
	case 64:
		algorithm = SHA256
	}
	return algorithm + ":" + r.Hash
}
