// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package pattern

import (
	"maps"
	"slices"
	"strings"
	"sync"

	ahocorasick "github.com/BobuSumisu/aho-corasick"
	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// finder is the library's detector, and the words without which none of its
// rules can match: asking the detector about a text costs a walk over all of
// its rules, and most texts have none of the words.
type finder struct {
	*detect.Detector
	words *ahocorasick.Trie
	// always: a rule looks into every text.
	always bool
}

// library compiles some two hundred expressions, once for the process. The
// loader of gitleaks goes through viper; this instance is our own.
var library = sync.OnceValues(func() (finder, error) {
	reader := viper.New()
	reader.SetConfigType("toml")
	if err := reader.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return finder{}, err
	}
	var raw config.ViperConfig
	if err := reader.Unmarshal(&raw); err != nil {
		return finder{}, err
	}
	rules, err := raw.Translate()
	if err != nil {
		return finder{}, err
	}
	rules.Rules = fit(rules.Rules)
	words, always := wordsOf(rules.Rules)
	rules.Keywords = words
	detector := detect.NewDetector(rules)
	detector.IgnoreGitleaksAllow = true
	trie := ahocorasick.NewTrieBuilder().AddStrings(slices.Sorted(maps.Keys(words))).Build()
	return finder{Detector: detector, words: trie, always: always}, nil
})

// fit leaves out the rules whose findings would be refused anyway, and those
// about names of files.
func fit(all map[string]config.Rule) map[string]config.Rule {
	kept := map[string]config.Rule{}
	for id, rule := range all {
		if rule.Regex != nil && shape.WantsRule(id) {
			kept[id] = rule
		}
	}
	return kept
}

// wordsOf are the words that the rules look for first, and whether there is a
// rule without one.
func wordsOf(rules map[string]config.Rule) (words map[string]struct{}, always bool) {
	words = map[string]struct{}{}
	for _, rule := range rules {
		always = always || len(rule.Keywords) == 0
		for _, word := range rule.Keywords {
			words[strings.ToLower(word)] = struct{}{}
		}
	}
	return words, always
}

// matches says whether a rule could find something in a text.
func (f finder) matches(text string) bool {
	return f.always || f.words.MatchFirstString(strings.ToLower(text)) != nil
}

// Ready says whether the library's rules could be read; without them nothing
// may be called clean.
func Ready() error {
	_, err := library()
	return err
}

// Scan is a shape.Scanner. A library that cannot be read finds the whole text:
// what nobody looked into is hidden and reported, not passed.
func Scan(text string) []shape.Hit {
	detector, err := library()
	switch {
	case err != nil:
		return []shape.Hit{{ID: shape.Token + "unreadable", End: len(text)}}
	case !detector.matches(text):
		return nil
	}
	var hits []shape.Hit
	for _, found := range detector.DetectString(text) {
		if found.Secret == "" || !shape.AcceptToken(found.RuleID, found.Secret) {
			continue
		}
		hits = append(hits, places(text, found.Secret, shape.Token+found.RuleID)...)
	}
	return hits
}

// places are all occurrences: a token that is found once is hidden everywhere.
func places(text, secret, id string) []shape.Hit {
	var hits []shape.Hit
	for from := 0; ; {
		i := strings.Index(text[from:], secret)
		if i < 0 {
			return hits
		}
		hits = append(hits, shape.Hit{ID: id, Start: from + i, End: from + i + len(secret)})
		from += i + len(secret)
	}
}
