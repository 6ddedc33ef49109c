// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"bytes"
	"encoding/base64"
	"math"
	"net/url"
	"strings"
)

var urls = lazy(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>` + "`" + `]+`)

var exampleHost = lazy(`(?i)(^|\.)example\.(com|org|net)(:\d+)?$`)

// findURLs finds passwords in URLs. Where a password has a slash in it, the
// authority ends at the last @ and not at the first slash.
func findURLs(text string) []Hit {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return nil
	}
	var hits []Hit
	for _, at := range urls().FindAllStringIndex(text, -1) {
		if next := another().FindStringIndex(text[at[0]:at[1]]); next != nil {
			hits = append(hits, shifted(findURLs(text[at[0]+next[0]+1:at[1]]), at[0]+next[0]+1)...)
			at[1] = at[0] + next[0]
		}
		start := at[0] + strings.Index(text[at[0]:at[1]], "://") + len("://")
		rest := text[start:at[1]]
		end := authorityEnd(rest)
		if end < 0 {
			continue
		}
		_, password, has := strings.Cut(rest[:end], ":")
		if !has || password == "" {
			continue
		}
		plain, err := url.PathUnescape(password)
		if err != nil {
			plain = password
		}
		if !hides(plain) {
			continue
		}
		id := URLPassword
		host, _, _ := strings.Cut(rest[end+1:], "/")
		if exampleHost().MatchString(host) {
			id = URLExample
		}
		hits = append(hits, Hit{ID: id, Start: start + end - len(password), End: start + end})
	}
	return hits
}

// another URL after a comma: lists of brokers look so.
var another = lazy(`,[a-zA-Z][a-zA-Z0-9+.-]*://`)

func shifted(hits []Hit, by int) []Hit {
	for i := range hits {
		hits[i].Start += by
		hits[i].End += by
	}
	return hits
}

var port = lazy(`^\d*$`)

// authorityEnd is the place of the @ that ends the user's part, or -1.
func authorityEnd(rest string) int {
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		return at
	}
	_, after, has := strings.Cut(authority, ":")
	if !has || port().MatchString(after) {
		return -1
	}
	return strings.LastIndex(rest, "@")
}

// wellKnown are passwords that software ships with.
var wellKnown = map[string]bool{
	"admin": true, "password": true, "passw0rd": true, "root": true, "postgres": true, "guest": true, "letmein": true,
	"123456": true, "12345678": true, "1234": true, "secret": true, "toor": true, "minio123": true, "minioadmin": true,
	"prom-operator": true, "elastic": true, "rabbitmq": true, "mysql": true, "test": true, "default": true, "demo": true,
}

// findWhole looks at a text as one value: keystores, encodings within
// encodings, randomness, well-known passwords, and what a template printed.
func findWhole(text string) []Hit {
	value := strings.TrimSpace(text)
	whole := func(id string) []Hit {
		start := strings.Index(text, value)
		return []Hit{{ID: id, Start: start, End: start + len(value)}}
	}
	switch {
	case value == "":
		return nil
	case strings.HasPrefix(value, "map[") && strings.Contains(value, "secretKeyRef"):
		return whole(PrintedMap)
	case isKeystore([]byte(value)):
		return whole(Keystore)
	case number().MatchString(value) && !wellKnown[value]:
		return []Hit{{ID: Digits}}
	case wellKnown[strings.ToLower(value)]:
		// Only the name can tell whether the word is a password: no place.
		return []Hit{{ID: DefaultCredential}}
	}
	if raw, ok := decode(value); ok {
		switch {
		case isKeystore(raw):
			return whole(Keystore)
		case nested(raw):
			return whole(DoubleBase64)
		}
	}
	if looksRandom(value) {
		// Digests and ids look random too: the name has to tell.
		return []Hit{{ID: Random}}
	}
	return nil
}

// isKeystore knows the first bytes of JKS, JCEKS and PKCS#12.
func isKeystore(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte{0xfe, 0xed, 0xfe, 0xed}) || bytes.HasPrefix(raw, []byte{0xce, 0xce, 0xce, 0xce}) {
		return true
	}
	return len(raw) > 8 && raw[0] == 0x30 && raw[1] == 0x82 && bytes.Equal(raw[4:7], []byte{0x02, 0x01, 0x03})
}

func decode(value string) ([]byte, bool) {
	const shortest = 16
	if len(value) < shortest || len(value)%4 != 0 {
		return nil, false
	}
	raw, err := base64.StdEncoding.DecodeString(value)
	return raw, err == nil
}

// nested: base64 whose content is base64 again, and then something readable.
func nested(raw []byte) bool {
	inner, ok := decode(string(raw))
	return ok && printable(string(inner)) && hides(string(inner))
}

var (
	randomText = lazy(`^[A-Za-z0-9+/_=-]{32,256}$`)
	hexText    = lazy(`^[0-9a-fA-F-]+$`)
)

func looksRandom(value string) bool {
	if !randomText().MatchString(value) || hexText().MatchString(value) || isPublic(value) {
		return false
	}
	if raw, ok := decode(value); ok && bytes.HasPrefix(raw, []byte("-----BEGIN CERT")) {
		return false
	}
	const enough = 4.0
	return entropy(value) >= enough
}

// entropy in bits a character (Shannon).
func entropy(text string) float64 {
	counts := map[rune]float64{}
	for _, r := range text {
		counts[r]++
	}
	total, sum := float64(len(text)), 0.0
	for _, count := range counts {
		sum -= count / total * math.Log2(count/total)
	}
	return sum
}
