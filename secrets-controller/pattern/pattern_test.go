// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package pattern

import (
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// tokens are split, so that no scanner takes this file for a leak.
var tokens = map[string]string{
	"github-pat":          "ghp_" + "x9Kq2mWv7RtYb4NcZd8LfHj3Ps6Ga1Eu5oQi",
	"gitlab-pat":          "glpat-" + "x9Kq2mWv7RtYb4NcZd8L",
	"aws-access-token":    "AKIA" + "Q3EGZ7RN2XKVMPWT",
	"slack-bot-token":     "xoxb-" + "2738465019283-2738465019284-x9Kq2mWv7RtYb4NcZd8LfHj3",
	"stripe-access-token": "sk_live_" + "x9Kq2mWv7RtYb4NcZd8LfHj3",
	"npm-access-token":    "npm_" + "x9kq2mwv7rtyb4nczd8lfhj3ps6ga1eu5oqi",
	"vault-service-token": "hvs." + strings.Repeat("CAESIJx9Kq2mWv7RtYb4", 5),
}

func TestScan(t *testing.T) {
	for id, token := range tokens {
		t.Run(id, func(t *testing.T) {
			text := "config:\n  value: " + token + "\n"
			hits := Scan(text)
			if len(hits) == 0 || hits[0].ID != shape.Token+id || text[hits[0].Start:hits[0].End] != token {
				t.Errorf("want %s at the token, got %v", shape.Token+id, hits)
			}
		})
	}
	for _, text := range []string{"", "an ordinary sentence about shipping", "registry.example/shop/api:1.27.3"} {
		if hits := Scan(text); len(hits) > 0 {
			t.Errorf("%q: want silence, got %v", text, hits)
		}
	}
}

// TestWordsLoseNothing: a text that is not worth asking the library about is
// one in which it finds nothing.
func TestWordsLoseNothing(t *testing.T) {
	detector, err := library()
	if err != nil {
		t.Fatal(err)
	}
	if detector.always {
		t.Error("a rule without a word looks into every text: the words spare nothing any more")
	}
	for id, token := range tokens {
		if !detector.matches("x "+strings.ToUpper(token)) || !detector.matches(token) {
			t.Errorf("%s is not asked about", id)
		}
	}
	for id, rule := range detector.Config.Rules {
		for _, word := range rule.Keywords {
			if !detector.matches("a text with " + word + " in it") {
				t.Errorf("rule %s looks for %q, and is not asked", id, word)
			}
		}
	}
}
