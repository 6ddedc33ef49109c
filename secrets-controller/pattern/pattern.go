// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package pattern

import (
	"strings"
	"sync"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// library compiles some two hundred expressions, once for the process. The
// loader of gitleaks goes through viper; this instance is our own.
var library = sync.OnceValues(func() (*detect.Detector, error) {
	reader := viper.New()
	reader.SetConfigType("toml")
	if err := reader.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, err
	}
	var raw config.ViperConfig
	if err := reader.Unmarshal(&raw); err != nil {
		return nil, err
	}
	rules, err := raw.Translate()
	if err != nil {
		return nil, err
	}
	detector := detect.NewDetector(rules)
	detector.IgnoreGitleaksAllow = true
	return detector, nil
})

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
	if err != nil {
		return []shape.Hit{{ID: shape.Token + "unreadable", End: len(text)}}
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
