// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitwire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

var (
	one    = strings.Repeat("1", 40)
	two    = strings.Repeat("2", 40)
	long   = strings.Repeat("3", 64)
	zero   = strings.Repeat("0", 40)
	http   = packet("# service=git-upload-pack") + "0000"
	caps   = "\x00multi_ack filter agent=x"
	modern = packet("version 2") + packet("agent=git/2") + packet("ls-refs=unborn") + packet("fetch=shallow filter")
)

func TestReadGreeting(t *testing.T) {
	tests := map[string]struct {
		reason string
		said   string
		want   Greeting
		kind   error
	}{
		"version 2": {"over HTTP", http + modern + "0000", Greeting{Lists: true, Format: "sha1", Filters: true}, nil},
		"sha256":    {"over SSH", modern + packet("object-format=sha256") + "0000", Greeting{Lists: true, Format: "sha256", Filters: true}, nil},
		"version 0": {"with a tag and its commit", http + packet(one+" HEAD"+caps) + packet(one+" refs/heads/main") + packet(two+" refs/tags/v1") + packet(one+" refs/tags/v1^{}") + "0000",
			Greeting{Format: "sha1", Filters: true, Refs: []reference.Ref{{Name: "HEAD", Hash: one}, {Name: "refs/heads/main", Hash: one}, {Name: "refs/tags/v1", Hash: two, Peeled: one}}}, nil},
		"version 1":         {"says so first", packet("version 1") + packet(one+" HEAD\x00agent") + "0000", Greeting{Format: "sha1", Refs: []reference.Ref{{Name: "HEAD", Hash: one}}}, nil},
		"sha256, version 0": {"longer names", packet(long+" HEAD\x00object-format=sha256") + "0000", Greeting{Format: "sha256", Refs: []reference.Ref{{Name: "HEAD", Hash: long}}}, nil},
		"empty":             {"a sentinel is no reference", packet(zero+" capabilities^{}"+caps) + "0000", Greeting{Format: "sha1", Filters: true}, nil},
		"shallow":           {"what a shallow clone adds", packet(one+" HEAD"+caps) + packet("shallow "+one) + "0000", Greeting{Format: "sha1", Filters: true, Refs: []reference.Ref{{Name: "HEAD", Hash: one}}}, nil},
		"a web page":        {"no Git", "<html>", Greeting{}, ErrProtocol},
		"nothing":           {"closed at once", "", Greeting{}, ErrProtocol},
		"refused":           {"in its own words", packet("ERR no such repository"), Greeting{}, ErrRemote},
		"cut":               {"a connection that broke", packet(one + " HEAD" + caps)[:20], Greeting{}, ErrProtocol},
		"unknown names":     {"another hash", packet("version 2") + packet("ls-refs") + packet("object-format=md5") + "0000", Greeting{}, ErrProtocol},
		"no listing":        {"cannot be asked", packet("version 2") + packet("fetch") + "0000", Greeting{}, ErrProtocol},
		"mixed names":       {"a hash of the other kind", packet(one+" HEAD\x00object-format=sha256") + "0000", Greeting{}, ErrProtocol},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ReadGreeting(strings.NewReader(tc.said))
			if !errors.Is(err, tc.kind) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); err == nil && diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadRefs(t *testing.T) {
	tests := map[string]struct {
		reason string
		said   string
		want   []reference.Ref
		kind   error
	}{
		"some":        {"attributes that are not asked for do no harm", packet(one+" refs/heads/main x:y") + packet(two+" refs/tags/v1 peeled:"+one) + packet("unborn HEAD") + "0000", []reference.Ref{{Name: "refs/heads/main", Hash: one}, {Name: "refs/tags/v1", Hash: two, Peeled: one}}, nil},
		"none":        {"nothing begins so", "0000", nil, nil},
		"no end":      {"half a list is not a list", packet(one + " refs/heads/main"), nil, ErrProtocol},
		"rubbish":     {"no hash", packet("zz refs/heads/main") + "0000", nil, ErrProtocol},
		"no name":     {"nothing to choose", packet(one) + "0000", nil, ErrProtocol},
		"bad peel":    {"no hash", packet(one+" refs/tags/v1 peeled:x") + "0000", nil, ErrProtocol},
		"bad length":  {"lengths are hexadecimal", "00zz", nil, ErrProtocol},
		"impossible":  {"a packet has a header", "0003", nil, ErrProtocol},
		"refused":     {"its own words", packet("ERR no"), nil, ErrRemote},
		"over length": {"the limit of the protocol", "ffff" + strings.Repeat("x", 1<<16), nil, ErrProtocol},
		"too much":    {"a list without end", strings.Repeat(packet(one+" refs/heads/"+strings.Repeat("x", 60000)), 1200), nil, ErrTooLong},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ReadRefs(strings.NewReader(tc.said), "sha1")
			if !errors.Is(err, tc.kind) {
				t.Fatalf("%s: got %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func FuzzGreeting(f *testing.F) {
	for _, seed := range []string{http + modern + "0000", packet(one+" HEAD"+caps) + "0000", "0000", "version 2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		greeting, err := ReadGreeting(strings.NewReader(said))
		if err == nil && !greeting.Lists && greeting.Format == "" {
			t.Errorf("a greeting without object names: %q", said)
		}
		refs, err := ReadRefs(strings.NewReader(said), "sha1")
		for _, ref := range refs {
			if err == nil && (ref.Name == "" || len(ref.Hash) != 40) {
				t.Errorf("no reference: %+v", ref)
			}
		}
	})
}
