// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"errors"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func hash(c string) string { return strings.Repeat(c, 40) }

// remote is what the tests' remote lists, in the order of a real listing.
var remote = []Ref{
	{Name: "HEAD", Hash: hash("a")},
	{Name: "refs/heads/feature/x", Hash: hash("b")},
	{Name: "refs/heads/main", Hash: hash("a")},
	{Name: "refs/heads/master", Hash: hash("c")},
	{Name: "refs/pull/420/head", Hash: hash("d")},
	{Name: "refs/tags/annotated", Hash: hash("e"), Peeled: hash("f")},
	{Name: "refs/tags/v0.1.0", Hash: hash("1")},
	{Name: "refs/tags/v0.2.0+build.1", Hash: hash("2")},
	{Name: "refs/tags/v0.2.0+build.2", Hash: hash("3")},
	{Name: "refs/tags/v0.3.0-rc.1", Hash: hash("4")},
}

func only(prefix string) []Ref {
	var refs []Ref
	for _, ref := range remote {
		if strings.HasPrefix(ref.Name, prefix) {
			refs = append(refs, ref)
		}
	}
	return refs
}

func TestChoose(t *testing.T) {
	tests := map[string]struct {
		reason string
		spec   *sourcev1.GitRepositoryRef
		refs   []Ref
		want   []string // "ref commit revision-name history"
		err    error
	}{
		"nothing asked": {
			reason: "the default branch of the contract is master, whatever HEAD says",
			refs:   remote, want: []string{"refs/heads/master " + hash("c") + " master false"},
		},
		"branch with a slash": {
			reason: "only the prefix is dropped in the revision",
			spec:   &sourcev1.GitRepositoryRef{Branch: "feature/x"},
			refs:   remote, want: []string{"refs/heads/feature/x " + hash("b") + " feature/x false"},
		},
		"annotated tag": {
			reason: "the revision names the commit, not the tag object",
			spec:   &sourcev1.GitRepositoryRef{Tag: "annotated"},
			refs:   remote, want: []string{"refs/tags/annotated " + hash("f") + " annotated false"},
		},
		"tag beats semver": {
			reason: "the binary's order, against the API text",
			spec:   &sourcev1.GitRepositoryRef{Tag: "v0.1.0", SemVer: ">=0.1.0"},
			refs:   remote, want: []string{"refs/tags/v0.1.0 " + hash("1") + " v0.1.0 false"},
		},
		"semver beats branch": {
			reason: "a range is more specific than a branch",
			spec:   &sourcev1.GitRepositoryRef{Branch: "main", SemVer: "0.1.x"},
			refs:   remote, want: []string{"refs/tags/v0.1.0 " + hash("1") + " v0.1.0 false"},
		},
		"semver skips pre-releases": {
			reason: "0.3.0-rc.1 is outside a range without pre-release; equal versions are both given",
			spec:   &sourcev1.GitRepositoryRef{SemVer: ">=0.1.0"},
			refs:   remote, want: []string{
				"refs/tags/v0.2.0+build.1 " + hash("2") + " v0.2.0+build.1 false",
				"refs/tags/v0.2.0+build.2 " + hash("3") + " v0.2.0+build.2 false",
			},
		},
		"semver with pre-releases": {
			reason: "the -0 idiom asks for them",
			spec:   &sourcev1.GitRepositoryRef{SemVer: ">=0.1.0-0"},
			refs:   remote, want: []string{"refs/tags/v0.3.0-rc.1 " + hash("4") + " v0.3.0-rc.1 false"},
		},
		"semver without a match": {
			reason: "not found is its own kind",
			spec:   &sourcev1.GitRepositoryRef{SemVer: ">=9"},
			refs:   remote, err: ErrNotFound,
		},
		"name beats tag": {
			reason: "a full reference is kept as written",
			spec:   &sourcev1.GitRepositoryRef{Name: "refs/pull/420/head", Tag: "v0.1.0"},
			refs:   remote, want: []string{"refs/pull/420/head " + hash("d") + " refs/pull/420/head false"},
		},
		"name of an annotated tag, peeled": {
			reason: "the suffix stays in the revision, and is not part of the reference",
			spec:   &sourcev1.GitRepositoryRef{Name: "refs/tags/annotated^{}"},
			refs:   remote, want: []string{"refs/tags/annotated " + hash("f") + " refs/tags/annotated^{} false"},
		},
		"commit at a tip": {
			reason: "no history is needed to prove it belongs to a branch",
			spec:   &sourcev1.GitRepositoryRef{Commit: hash("a"), Tag: "v0.1.0"},
			refs:   remote, want: []string{"refs/heads/main " + hash("a") + "  false"},
		},
		"commit behind the tips": {
			reason: "every branch has to be searched",
			spec:   &sourcev1.GitRepositoryRef{Commit: hash("9")},
			refs:   remote, want: []string{" " + hash("9") + "  true"},
		},
		"commit with branch": {
			reason: "only that branch has to be searched, and it names the revision",
			spec:   &sourcev1.GitRepositoryRef{Commit: hash("9"), Branch: "main"},
			refs:   remote, want: []string{"refs/heads/main " + hash("9") + " main true"},
		},
		"branch not found": {
			reason: "a missing branch is not an empty repository",
			spec:   &sourcev1.GitRepositoryRef{Branch: "gone"},
			refs:   only("refs/heads/"), err: ErrNotFound,
		},
		"empty repository": {
			reason: "no branch at all",
			err:    ErrEmpty,
		},
		"tag in an empty repository": {
			reason: "the contract keeps the empty kind for branches",
			spec:   &sourcev1.GitRepositoryRef{Tag: "v1"}, err: ErrNotFound,
		},
		"pinned commit of a removed branch": {
			reason: "the branch must hold the commit, so it must exist",
			spec:   &sourcev1.GitRepositoryRef{Commit: hash("9"), Branch: "gone"},
			refs:   remote, err: ErrNotFound,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wish, err := Parse(tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			choices, err := wish.Choose(tc.refs)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: got error %v, want kind %v", tc.reason, err, tc.err)
			}
			var got []string
			for _, c := range choices {
				got = append(got, strings.Join([]string{c.Ref, c.Commit, c.Name, boolText(c.History)}, " "))
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func TestLatest(t *testing.T) {
	when := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	one := Choice{Name: "v1.0.0+1", Commit: hash("1")}
	two := Choice{Name: "v1.0.0+2", Commit: hash("2")}
	tests := map[string]struct {
		reason string
		times  map[string]time.Time
		want   string
	}{
		"younger wins": {
			reason: "build metadata has no order of its own",
			times:  map[string]time.Time{one.Commit: when.Add(time.Hour), two.Commit: when},
			want:   one.Name,
		},
		"same second": {
			reason: "the name decides, so that two passes agree",
			times:  map[string]time.Time{one.Commit: when, two.Commit: when},
			want:   two.Name,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Latest([]Choice{one, two}, tc.times).Name; got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPrefixesAndPin(t *testing.T) {
	heads, tags := []string{"refs/heads/"}, []string{"refs/tags/"}
	tests := map[string]struct {
		reason string
		spec   sourcev1.GitRepositoryRef
		narrow []string
		wide   []string
		pin    string
	}{
		"branch":       {"the one", sourcev1.GitRepositoryRef{Branch: "main"}, []string{"refs/heads/main"}, heads, ""},
		"nothing":      {"master", sourcev1.GitRepositoryRef{}, []string{"refs/heads/master"}, heads, ""},
		"tag":          {"the one, before a range", sourcev1.GitRepositoryRef{Tag: "v1", SemVer: "1.x"}, []string{"refs/tags/v1"}, tags, ""},
		"semver":       {"all tags, to find the highest", sourcev1.GitRepositoryRef{SemVer: "1.x"}, tags, tags, ""},
		"branch name":  {"a full name tells its part, and comes before a tag", sourcev1.GitRepositoryRef{Name: "refs/heads/x", Tag: "v1"}, []string{"refs/heads/x"}, heads, ""},
		"tag name":     {"a server never lists the suffix as a name", sourcev1.GitRepositoryRef{Name: "refs/tags/v1^{}"}, []string{"refs/tags/v1"}, tags, ""},
		"pull request": {"outside branches and tags all may explain", sourcev1.GitRepositoryRef{Name: "refs/pull/1/head"}, []string{"refs/pull/1/head"}, nil, ""},
		"pin":          {"any branch may hold it", sourcev1.GitRepositoryRef{Commit: hash("a")}, heads, heads, "sha1:" + hash("a")},
		"pin, branch":  {"a pin within a branch", sourcev1.GitRepositoryRef{Commit: hash("a"), Branch: "main"}, []string{"refs/heads/main"}, heads, "main@sha1:" + hash("a")},
		"pin, tag":     {"a tag beside a pin is not looked at", sourcev1.GitRepositoryRef{Commit: hash("a"), Tag: "v1"}, heads, heads, "sha1:" + hash("a")},
		"pin, name":    {"name wins over branch in the revision", sourcev1.GitRepositoryRef{Commit: hash("a"), Branch: "main", Name: "refs/heads/x"}, []string{"refs/heads/main"}, heads, "refs/heads/x@sha1:" + hash("a")},
		"long pin":     {"a repository that names its objects by SHA-256", sourcev1.GitRepositoryRef{Commit: strings.Repeat("a", 64)}, heads, heads, "sha256:" + strings.Repeat("a", 64)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			wish, err := Parse(&tc.spec)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]string{tc.narrow, tc.wide}, [][]string{wish.Narrow(), wish.Wide()}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			pin, _ := wish.Pin()
			if got := pin.String(); got != tc.pin {
				t.Errorf("%s: got pin %q, want %q", tc.reason, got, tc.pin)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		reason string
		spec   sourcev1.GitRepositoryRef
	}{
		"option as branch":     {"a dash would be read as an option by a careless caller", sourcev1.GitRepositoryRef{Branch: "--upload-pack=/bin/sh"}},
		"option as tag":        {"same", sourcev1.GitRepositoryRef{Tag: "-c"}},
		"glob":                 {"one name must not become many", sourcev1.GitRepositoryRef{Branch: "*"}},
		"refspec":              {"a colon would choose the local name", sourcev1.GitRepositoryRef{Branch: "main:refs/heads/x"}},
		"revision expression":  {"a tilde asks for an ancestor", sourcev1.GitRepositoryRef{Branch: "main~1"}},
		"reflog":               {"@{ is an expression", sourcev1.GitRepositoryRef{Tag: "v1@{0}"}},
		"two dots":             {"a range, or a way out of refs/", sourcev1.GitRepositoryRef{Branch: "a/../../x"}},
		"control character":    {"a line break would forge a protocol line", sourcev1.GitRepositoryRef{Branch: "a\nb"}},
		"lock file":            {"collides with Git's own files", sourcev1.GitRepositoryRef{Tag: "v1.lock"}},
		"hidden":               {"components do not begin with a dot", sourcev1.GitRepositoryRef{Branch: "a/.b"}},
		"ends with a slash":    {"no name", sourcev1.GitRepositoryRef{Branch: "a/"}},
		"name without refs/":   {"spec.ref.name is a full reference", sourcev1.GitRepositoryRef{Name: "main"}},
		"peel of a branch":     {"only tags are peeled", sourcev1.GitRepositoryRef{Name: "refs/heads/main^{}"}},
		"short commit":         {"an abbreviation can become ambiguous", sourcev1.GitRepositoryRef{Commit: "abc123"}},
		"commit with option":   {"only hexadecimal digits", sourcev1.GitRepositoryRef{Commit: "--output=/etc/passwd"}},
		"no range":             {"Masterminds cannot parse it", sourcev1.GitRepositoryRef{SemVer: "latest please"}},
		"replacement for glob": {"a bracket is a pattern too", sourcev1.GitRepositoryRef{Tag: "v[1]"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(&tc.spec); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: got %v, want kind ErrInvalid", tc.reason, err)
			}
		})
	}
}
