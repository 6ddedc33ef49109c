// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Hit is a secret, or a part of one, at a place in a text.
type Hit struct {
	ID         string
	Start, End int
}

// The ids of patterns that rules know by name; those of a pattern library
// stand behind Token.
const (
	PrivateKey          = "private-key"
	EncryptedPrivateKey = "encrypted-private-key"
	ServiceAccountJSON  = "service-account-json"
	Kubeconfig          = "kubeconfig"
	DockerAuth          = "docker-auth"
	Keystore            = "keystore"
	URLPassword         = "url-password"
	URLExample          = "url-example"
	DSNPassword         = "dsn-password"
	JWT                 = "jwt"
	BearerToken         = "bearer-token"
	BasicAuth           = "basic-auth"
	PasswordHash        = "password-hash"
	WebhookURL          = "webhook-url"
	QueryToken          = "query-token"
	FlagPassword        = "flag-password"
	Assignment          = "assignment"
	DoubleBase64        = "double-base64"
	Random              = "random"
	DefaultCredential   = "default-credential"
	PrintedMap          = "printed-map"
	// Digits: a trivial value that is a number of four digits or more.
	Digits = "digits"
	// Token goes before the id of a pattern library: token:github-pat.
	Token = "token:"
)

// Scanner finds what a pattern library knows, with ids behind Token.
type Scanner func(text string) []Hit

// longest text that is looked into; a longer one is one hit as a whole, for
// what was not looked at is never harmless.
const longest = 1 << 20

// detector finds one kind of secret. A text without any of its triggers, in
// lower case, is not looked at: expressions cost, and most texts are short.
type detector struct {
	id       string
	triggers []string
	expr     *regexp.Regexp
	// group of the expression that is the secret.
	group  int
	accept func(text string, match []string) string
}

// Find lists the secrets in a text, first by place. The scanner may be nil. A
// mask in the text gives the ids that it carries, without a place of its own.
func Find(text string, scan Scanner) []Hit {
	var hits []Hit
	for _, m := range Masks(text) {
		for _, id := range m.Found {
			hits = append(hits, Hit{ID: id})
		}
	}
	text = WithoutMasks(text)
	if len(text) > longest {
		return append(hits, Hit{ID: Random, End: len(text)})
	}
	if len(text) < 4 {
		return hits
	}
	lower := strings.ToLower(text)
	for _, d := range detectors() {
		if slices.ContainsFunc(d.triggers, func(t string) bool { return strings.Contains(lower, t) }) {
			hits = append(hits, d.find(text)...)
		}
	}
	hits = append(hits, findURLs(text)...)
	hits = append(hits, findWhole(text)...)
	if scan != nil && worthScanning(text) {
		hits = append(hits, scan(text)...)
	}
	return tidy(hits)
}

func (d detector) find(text string) []Hit {
	var hits []Hit
	for _, at := range d.expr.FindAllStringSubmatchIndex(text, -1) {
		match := make([]string, len(at)/2)
		for i := range match {
			if at[2*i] >= 0 {
				match[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		id := d.id
		if d.accept != nil {
			if id = d.accept(text, match); id == "" {
				continue
			}
		}
		if at[2*d.group] >= 0 {
			hits = append(hits, Hit{ID: id, Start: at[2*d.group], End: at[2*d.group+1]})
		}
	}
	return hits
}

// run is a stretch that a token could be.
var run = lazy(`[A-Za-z0-9_./+=-]{16,}`)

func worthScanning(text string) bool { return run().MatchString(text) }

// tidy sorts by place and drops doubles.
func tidy(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.ID, b.ID))
	})
	return slices.Compact(hits)
}

// Hide replaces the secrets in a text. The mask is made by the caller, who has
// the key. Secrets that overlap are hidden as one, under all their ids.
func Hide(text string, hits []Hit, mask func(value string, found []string) string) string {
	var b strings.Builder
	last := 0
	for i := 0; i < len(hits); {
		start, end := hits[i].Start, hits[i].End
		if end <= start {
			i++ // from a mask: hidden already
			continue
		}
		var found []string
		for ; i < len(hits) && hits[i].Start < end; i++ {
			end = max(end, hits[i].End)
			if id := hits[i].ID; id != "" && !slices.Contains(found, id) {
				found = append(found, id)
			}
		}
		slices.Sort(found)
		b.WriteString(text[last:start])
		b.WriteString(mask(text[start:end], found))
		last = end
	}
	b.WriteString(text[last:])
	return b.String()
}

// IDs lists the ids of hits, each once and in order.
func IDs(hits []Hit) []string {
	var ids []string
	for _, h := range hits {
		if h.ID != "" && !slices.Contains(ids, h.ID) {
			ids = append(ids, h.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// unfit are rules of gitleaks that are about files and not about single values,
// that guess by randomness, or that stand above under an id of our own.
var unfit = map[string]bool{
	"generic-api-key": true, "kubernetes-secret-yaml": true, "hashicorp-tf-password": true, "nuget-config-password": true,
	"private-key": true, "jwt": true, "jwt-base64": true, "curl-auth-user": true, "curl-auth-header": true,
	"freemius-secret-key": true, "sumologic-access-id": true,
}

// WantsRule says whether any finding of a rule of the pattern library can count.
func WantsRule(rule string) bool { return !unfit[rule] }

// AcceptToken says whether a finding of the pattern library counts: a token,
// and not an identifier or a reference that resembles one.
func AcceptToken(rule, secret string) bool {
	return WantsRule(rule) && !hexText().MatchString(secret) && hides(secret)
}
