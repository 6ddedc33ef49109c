// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ocireference

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/fluxcd/pkg/version"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
)

const (
	defaultTag = "latest"
	// ChartMediaType is the layer of a Helm chart. Its tags stand for versions
	// with a plus sign, which no tag may have, by an underscore.
	ChartMediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

var (
	digestForm = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
	tagForm    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)
)

// Wish is a checked spec.ref.
type Wish struct {
	digest     string
	tag        string
	constraint *semver.Constraints
	expression string
	filter     *regexp.Regexp
	chart      bool
}

// Parse checks spec.ref; nil asks for the tag latest. The media type is that of
// the layer selector, empty for none. Fields that lose are not looked at.
func Parse(spec *sourcev1.OCIRepositoryRef, mediaType string) (Wish, error) {
	if spec == nil {
		spec = &sourcev1.OCIRepositoryRef{}
	}
	switch {
	case spec.Digest != "":
		if !digestForm.MatchString(spec.Digest) {
			return Wish{}, fmt.Errorf("%w: spec.ref.digest %q is not of the form sha256:<64 hexadecimal digits>", ErrInvalid, spec.Digest)
		}
		return Wish{digest: spec.Digest}, nil
	case spec.SemVer != "":
		return parseRange(spec, mediaType)
	case spec.Tag != "":
		if !tagForm.MatchString(spec.Tag) {
			return Wish{}, fmt.Errorf("%w: spec.ref.tag %q is no tag: letters, digits, '_', '.' and '-', at most 128", ErrInvalid, spec.Tag)
		}
		return Wish{tag: spec.Tag}, nil
	default:
		return Wish{tag: defaultTag}, nil
	}
}

func parseRange(spec *sourcev1.OCIRepositoryRef, mediaType string) (Wish, error) {
	w := Wish{expression: spec.SemVer, chart: mediaType == ChartMediaType}
	var err error
	if w.constraint, err = semver.NewConstraint(spec.SemVer); err != nil {
		return Wish{}, fmt.Errorf("%w: spec.ref.semver '%s' parse error: %w", ErrInvalid, spec.SemVer, err)
	}
	if spec.SemverFilter != "" {
		if w.filter, err = regexp.Compile(spec.SemverFilter); err != nil {
			return Wish{}, fmt.Errorf("%w: spec.ref.semverFilter: %w", ErrInvalid, err)
		}
	}
	return w, nil
}

// Digest is the digest that was asked for, which no registry can change; empty
// for none.
func (w Wish) Digest() string { return w.digest }

// Ranged tells whether the tags have to be listed.
func (w Wish) Ranged() bool { return w.constraint != nil }

// Tag is the tag that was asked for by name; empty where a range or a digest
// was.
func (w Wish) Tag() string { return w.tag }

// Choose picks the tag of the highest version in the range. Tags that are no
// version are passed over. Among equal versions, which differ in build metadata
// only, the name decides, so that two passes agree.
func (w Wish) Choose(tags []string) (string, error) {
	var best *semver.Version
	chosen := ""
	for _, tag := range tags {
		if w.filter != nil && !w.filter.MatchString(tag) {
			continue
		}
		candidate, err := version.ParseVersion(w.toVersion(tag))
		if err != nil || !w.constraint.Check(candidate) || !tagForm.MatchString(tag) {
			continue
		}
		if best == nil || candidate.GreaterThan(best) || (candidate.Equal(best) && tag > chosen) {
			best, chosen = candidate, tag
		}
	}
	if best == nil {
		return "", fmt.Errorf("%w: %s among %d tags", ErrNoMatch, w.expression, len(tags))
	}
	return chosen, nil
}

// toVersion undoes what Helm does to a chart's version to make it a tag.
func (w Wish) toVersion(tag string) string {
	if w.chart {
		return strings.ReplaceAll(tag, "_", "+")
	}
	return tag
}

// Revision is how status names what a tag led to: "tag@sha256:…", and the
// digest alone where it was asked for by digest.
func Revision(tag, digest string) string {
	if tag == "" {
		return digest
	}
	return tag + "@" + digest
}

// DigestOf is the digest in a revision.
func DigestOf(revision string) string {
	return revision[strings.LastIndexByte(revision, '@')+1:]
}
