// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ocireference

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-containerregistry/pkg/name"
)

// Kinds of failure; the text beside them says which field and what to do.
var (
	ErrURL     = errors.New("invalid spec.url")
	ErrInvalid = errors.New("invalid spec.ref")
	ErrNoMatch = errors.New("no match found for semver")
)

// pathForm is the grammar of the distribution specification. The parser below
// lets more through, such as "..", which would leave the path of the API.
var pathForm = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)

// Repository is where an artifact lives.
type Repository struct {
	// Registry is a host, with a port where one was given.
	Registry string
	// Path is the name within the registry.
	Path string
	// MayBePlain tells that the registry is in the machine or in a private
	// network by its name, where plain HTTP is tried if HTTPS is not spoken.
	MayBePlain bool
}

// String is the name without a scheme, as credentials are matched against.
func (r Repository) String() string { return r.Registry + "/" + r.Path }

// ParseURL reads spec.url. Flux's own parser does it, so that short names and
// the names of Docker Hub mean the same.
func ParseURL(raw string) (Repository, error) {
	short, found := strings.CutPrefix(raw, sourcev1.OCIRepositoryPrefix)
	if !found {
		return Repository{}, fmt.Errorf("%w: URL must be in format 'oci://<domain>/<org>/<repo>'", ErrURL)
	}
	parsed, err := name.NewRepository(short)
	if err != nil {
		return Repository{}, fmt.Errorf("%w: %w", ErrURL, err)
	}
	if _, tag, tagged := strings.Cut(strings.TrimPrefix(short, parsed.RegistryStr()), ":"); tagged {
		return Repository{}, fmt.Errorf("%w: URL must not contain a tag; remove ':%s' and use spec.ref.tag", ErrURL, tag)
	}
	if !pathForm.MatchString(parsed.RepositoryStr()) {
		return Repository{}, fmt.Errorf("%w: '%s' is no name of a repository: lower-case letters and digits, with '.', '_' and '-' between them", ErrURL, parsed.RepositoryStr())
	}
	return Repository{
		Registry:   parsed.RegistryStr(),
		Path:       parsed.RepositoryStr(),
		MayBePlain: parsed.Scheme() == "http",
	}, nil
}
