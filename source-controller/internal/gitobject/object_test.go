// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitobject

import (
	"strings"
	"testing"
	"time"
)

const (
	sha1   = "1111111111111111111111111111111111111111"
	sha256 = "1111111111111111111111111111111111111111111111111111111111111111"
)

func TestParseCommit(t *testing.T) {
	const (
		head = "tree 2222222222222222222222222222222222222222\n"
		who  = "author A <a@b> 1764500000 +0100\ncommitter C > D <c@d> 1764500060 -0500\n"
	)
	tests := map[string]struct {
		reason    string
		hash      string
		raw       string
		signature string
		payload   string
		subject   string
		committed int64
	}{
		"plain":       {"no signature", sha1, head + who + "\nsubject\n\nbody\n", "", head + who + "\nsubject\n\nbody\n", "subject", 1764500060},
		"signed":      {"the header goes, with its continuation", sha1, head + who + "gpgsig A\n B\n \n C\n\ns\n", "A\nB\n\nC\n", head + who + "\ns\n", "s", 1764500060},
		"in between":  {"headers after it stay", sha1, head + "gpgsig A\n B\n" + who + "\ns\n", "A\nB\n", head + who + "\ns\n", "s", 1764500060},
		"other kind":  {"a signature for the other kind of repository is none here, and is not covered", sha1, head + who + "gpgsig-sha256 X\n Y\n\ns\n", "", head + who + "\ns\n", "s", 1764500060},
		"sha256":      {"there it is the one that counts", sha256, head + who + "gpgsig X\ngpgsig-sha256 A\n B\n\ns\n", "A\nB\n", head + who + "\ns\n", "s", 1764500060},
		"twice":       {"which of two is meant is anybody's guess", sha1, head + who + "gpgsig A\ngpgsig B\n\ns\n", "", head + who + "\ns\n", "s", 1764500060},
		"in the text": {"a message that quotes a header is a message", sha1, head + who + "\ns\n\ngpgsig A\n B\n", "", head + who + "\ns\n\ngpgsig A\n B\n", "s", 1764500060},
		"other space": {"a continuation belongs to its own header", sha1, head + "mergetag x\n gpgsig A\n" + who + "\ns\n", "", head + "mergetag x\n gpgsig A\n" + who + "\ns\n", "s", 1764500060},
		"empty":       {"nothing is required", sha1, "", "", "", "", 0},
		"no body":     {"a header may end the object", sha1, "gpgsig A", "A", "", "", 0},
		"long":        {"events are short, and cut between characters", sha1, "x\n\n" + strings.Repeat("ü", 60), "", "x\n\n" + strings.Repeat("ü", 60), strings.Repeat("ü", 50) + "...", 0},
		"not text":    {"shown to people", sha1, "x\n\n\xff\xfe", "", "x\n\n\xff\xfe", "?", 0},
		"no time":     {"orders before all others", sha1, "committer C <c> soon\n\n", "", "committer C <c> soon\n\n", "", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ParseCommit(tc.hash, []byte(tc.raw))
			if got.Signature != tc.signature || string(got.Payload) != tc.payload || got.Subject != tc.subject {
				t.Errorf("%s: got %q over %q, subject %q", tc.reason, got.Signature, got.Payload, got.Subject)
			}
			want := time.Time{}
			if tc.committed != 0 {
				want = time.Unix(tc.committed, 0).UTC()
			}
			if !got.Committed.Equal(want) {
				t.Errorf("%s: got %s, want %s", tc.reason, got.Committed, want)
			}
		})
	}
}

func TestParseTag(t *testing.T) {
	const head = "object " + sha1 + "\ntype commit\ntag v1\ntagger T <t@t> 1764500000 +0000\n"
	const pgp = "-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n"
	const ssh = "-----BEGIN SSH SIGNATURE-----\ny\n-----END SSH SIGNATURE-----\n"
	tests := map[string]struct {
		reason    string
		raw       string
		signature string
		payload   string
	}{
		"plain":  {"annotated, not signed", head + "\nmessage\n", "", head + "\nmessage\n"},
		"pgp":    {"appended", head + "\nmessage\n" + pgp, pgp, head + "\nmessage\n"},
		"ssh":    {"appended", head + "\nmessage\n" + ssh, ssh, head + "\nmessage\n"},
		"quoted": {"the last one counts, the other is signed text", head + "\nmessage\n" + pgp + ssh, ssh, head + "\nmessage\n" + pgp},
		"header": {"for the other kind of repository", head + "gpgsig-sha256 A\n B\n\nmessage\n" + pgp, pgp, head + "\nmessage\n"},
		"inline": {"only a line begins an armor", head + "\nsee " + strings.TrimSpace(pgp[:29]) + "\n", "", head + "\nsee " + strings.TrimSpace(pgp[:29]) + "\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ParseTag(sha1, []byte(tc.raw))
			if got.Name != "v1" || got.Target != sha1 || got.Signature != tc.signature || string(got.Payload) != tc.payload {
				t.Errorf("%s: got %+v over %q", tc.reason, got, got.Payload)
			}
		})
	}
	if got := ParseTag(sha1, nil); got.Signature != "" || len(got.Payload) != 0 {
		t.Errorf("an empty object: got %+v", got)
	}
}

// FuzzObjects: whatever the bytes are, nothing panics, and no byte is both
// signed and left out but those of signatures.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{"", "\n", "gpgsig A\n B", "tree x\ngpgsig A\n \n\nmsg", "tag\nobject\n\n-----BEGIN PGP SIGNATURE-----", " x\n", "committer >"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, hash := range []string{sha1, sha256} {
			commit := ParseCommit(hash, raw)
			if len(commit.Payload)+len(commit.Signature) > len(raw) {
				t.Errorf("more came out than went in: %q", raw)
			}
			if !strings.Contains(string(raw), "gpgsig") && string(commit.Payload) != string(raw) {
				t.Errorf("an unsigned commit changed: %q", raw)
			}
			tag := ParseTag(hash, raw)
			if !strings.HasSuffix(string(raw), tag.Signature) || len(tag.Payload)+len(tag.Signature) > len(raw) {
				t.Errorf("a tag's signature is not its end: %q", raw)
			}
		}
	})
}
