// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ocireference

import (
	"errors"
	"strings"
	"testing"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
)

func TestParseURL(t *testing.T) {
	tests := map[string]struct {
		reason string
		url    string
		want   string
		plain  bool
		err    error
	}{
		"plain":          {"a host and a path", "oci://ghcr.io/org/app", "ghcr.io/org/app", false, nil},
		"port":           {"a colon in the host is no tag", "oci://registry.example:5000/org/app", "registry.example:5000/org/app", false, nil},
		"loopback":       {"nobody listens in between", "oci://127.0.0.1:5000/app", "127.0.0.1:5000/app", true, nil},
		"private":        {"as Flux's library does", "oci://10.1.2.3:5000/app", "10.1.2.3:5000/app", true, nil},
		"Docker Hub":     {"its API has another name", "oci://docker.io/org/app", "index.docker.io/org/app", false, nil},
		"short":          {"same", "oci://org/app", "index.docker.io/org/app", false, nil},
		"another scheme": {"would mean another protocol", "https://ghcr.io/org/app", "", false, ErrURL},
		"tag":            {"belongs to spec.ref", "oci://ghcr.io/org/app:v1", "", false, ErrURL},
		"tag and port":   {"same", "oci://registry.example:5000/org/app:v1", "", false, ErrURL},
		"digest":         {"same", "oci://ghcr.io/org/app@sha256:" + strings.Repeat("a", 64), "", false, ErrURL},
		"upper case":     {"no name has it", "oci://ghcr.io/Org/App", "", false, ErrURL},
		"traversal":      {"would leave the path of the API", "oci://ghcr.io/../../etc", "", false, ErrURL},
		"query":          {"same", "oci://ghcr.io/org/app?x=y", "", false, ErrURL},
		"user":           {"a password does not belong there", "oci://user:pass@ghcr.io/org/app", "", false, ErrURL},
		"nothing":        {"no repository", "oci://", "", false, ErrURL},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseURL(tc.url)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: got %v, want kind %v", tc.reason, err, tc.err)
			}
			if err == nil && (got.String() != tc.want || got.MayBePlain != tc.plain) {
				t.Errorf("%s: got %s, plain %v", tc.reason, got, got.MayBePlain)
			}
		})
	}
}

func TestParse(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	tests := map[string]struct {
		reason string
		ref    *sourcev1.OCIRepositoryRef
		digest string
		tag    string
		ranged bool
		err    error
	}{
		"nothing":        {"the usual tag", nil, "", "latest", false, nil},
		"empty":          {"same", &sourcev1.OCIRepositoryRef{}, "", "latest", false, nil},
		"tag":            {"as it is", &sourcev1.OCIRepositoryRef{Tag: "v1"}, "", "v1", false, nil},
		"range":          {"beats the tag", &sourcev1.OCIRepositoryRef{Tag: "v1", SemVer: "1.x"}, "", "", true, nil},
		"digest":         {"beats all", &sourcev1.OCIRepositoryRef{Tag: "v1", SemVer: "1.x", Digest: digest}, digest, "", false, nil},
		"losing garbage": {"a field that loses is not read", &sourcev1.OCIRepositoryRef{SemVer: "%", Digest: digest}, digest, "", false, nil},
		"bad digest":     {"no hash", &sourcev1.OCIRepositoryRef{Digest: "sha256:abc"}, "", "", false, ErrInvalid},
		"bad tag":        {"would change the path of the request", &sourcev1.OCIRepositoryRef{Tag: "../x"}, "", "", false, ErrInvalid},
		"bad range":      {"not understood", &sourcev1.OCIRepositoryRef{SemVer: "%"}, "", "", false, ErrInvalid},
		"bad filter":     {"no expression", &sourcev1.OCIRepositoryRef{SemVer: "*", SemverFilter: "("}, "", "", false, ErrInvalid},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w, err := Parse(tc.ref, "")
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: got %v, want kind %v", tc.reason, err, tc.err)
			}
			if w.Digest() != tc.digest || w.Tag() != tc.tag || w.Ranged() != tc.ranged {
				t.Errorf("%s: got %+v", tc.reason, w)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	// The tags of the case semver-ranges-over-tags in the corpus.
	tags := []string{"v1.0.0", "v1.0.7", "1.5.7", "v1.6.0-beta.2", "v1.6.0-beta.10", "v1.10.0", "v2.0.0-rc.1", "nightly", "release-1.9.9"}
	tests := map[string]struct {
		reason string
		ref    sourcev1.OCIRepositoryRef
		media  string
		tags   []string
		want   string
		err    error
	}{
		"patch":       {"numbers, not text", sourcev1.OCIRepositoryRef{SemVer: "1.0.x"}, "", tags, "v1.0.7", nil},
		"highest":     {"10 is above 9", sourcev1.OCIRepositoryRef{SemVer: "^1.0.0"}, "", tags, "v1.10.0", nil},
		"no pre":      {"a pre-release only where the range names one", sourcev1.OCIRepositoryRef{SemVer: ">=1.0.0"}, "", tags, "v1.10.0", nil},
		"pre":         {"the suffix names one", sourcev1.OCIRepositoryRef{SemVer: ">=1.0.0-0"}, "", tags, "v2.0.0-rc.1", nil},
		"pre order":   {"beta.10 is above beta.2", sourcev1.OCIRepositoryRef{SemVer: ">=1.6.0-0 <1.7.0"}, "", tags, "v1.6.0-beta.10", nil},
		"filter":      {"applies before the range", sourcev1.OCIRepositoryRef{SemVer: ">=1.0.0-0", SemverFilter: ".*-beta.*"}, "", tags, "v1.6.0-beta.10", nil},
		"filtered":    {"nothing is left", sourcev1.OCIRepositoryRef{SemVer: "*", SemverFilter: "^x"}, "", tags, "", ErrNoMatch},
		"no match":    {"no such version", sourcev1.OCIRepositoryRef{SemVer: "1.9.x"}, "", tags, "", ErrNoMatch},
		"none":        {"an empty repository", sourcev1.OCIRepositoryRef{SemVer: "*"}, "", nil, "", ErrNoMatch},
		"chart":       {"an underscore stands for a plus sign", sourcev1.OCIRepositoryRef{SemVer: "1.x"}, ChartMediaType, []string{"1.0.0_b", "1.0.0_c"}, "1.0.0_c", nil},
		"no chart":    {"elsewhere such a tag is no version", sourcev1.OCIRepositoryRef{SemVer: "1.x"}, "", []string{"1.0.0_b"}, "", ErrNoMatch},
		"hostile tag": {"would change the path of the next request", sourcev1.OCIRepositoryRef{SemVer: "*"}, "", []string{"1.0.0+../../x"}, "", ErrNoMatch},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w, err := Parse(&tc.ref, tc.media)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Choose(tc.tags)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: got %q, %v, want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

func TestRevision(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	for tag, want := range map[string]string{"": digest, "v1": "v1@" + digest} {
		got := Revision(tag, digest)
		if got != want || DigestOf(got) != digest {
			t.Errorf("got %s, digest %s", got, DigestOf(got))
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"oci://ghcr.io/org/app", "oci://h:1/a:b", "oci://../..", "oci://a@b/c", "oci://localhost/%2e%2e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		repository, err := ParseURL(raw)
		if err != nil {
			return
		}
		if strings.ContainsAny(repository.Path, ":@?#%\\ \n") || strings.Contains(repository.Path, "..") || strings.HasPrefix(repository.Path, "/") {
			t.Errorf("%q became the path %q", raw, repository.Path)
		}
	})
}
