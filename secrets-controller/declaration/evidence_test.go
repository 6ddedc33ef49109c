// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "testing"

func TestEvidence(t *testing.T) {
	key := []byte("of this installation")
	if got := Evidence("(masked opaque hmac:8c1f2a)", key); got != "8c1f2a" {
		t.Errorf("a mask brings its digest: got %q", got)
	}
	if got := Evidence("hmac:8c1f2a", nil); got != "" {
		t.Errorf("only a mask does: got %q", got)
	}
	if got := Evidence("sommer", nil); got != "" {
		t.Errorf("a digest without a key could be guessed: got %q", got)
	}
	one, same, other := Evidence("sommer", key), Evidence("sommer", key), Evidence("winter", key)
	if one == "" || one != same || one == other {
		t.Errorf("digests of sommer, sommer, winter: %q %q %q", one, same, other)
	}
}
