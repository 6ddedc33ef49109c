// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"regexp"
	"slices"
)

// Keys is what can be known about the keys of a produced Secret.
type Keys struct {
	// Known are written for certain.
	Known []string
	// Maybe are written under a condition that Git does not show.
	Maybe []string
	// Open says why further keys may exist; empty means that there are none.
	Open string
}

// Certainty is what Keys say about one key.
type Certainty int

// The certainties.
const (
	KeyAbsent Certainty = iota
	KeyUnknown
	KeyDeclared
)

// Has says whether the key is produced and, if that is unknown, why.
func (k Keys) Has(key string) (Certainty, string) {
	switch {
	case slices.Contains(k.Known, key):
		return KeyDeclared, ""
	case slices.Contains(k.Maybe, key):
		return KeyUnknown, "it is written only if the issuer supplies it"
	case k.Open != "":
		return KeyUnknown, k.Open
	}
	return KeyAbsent, ""
}

func (k *Keys) add(keys ...string) {
	for _, key := range keys {
		if key != "" && !slices.Contains(k.Known, key) {
			k.Known = append(k.Known, key)
		}
	}
}

// open notes the first reason: one is enough for a person to go on.
func (k *Keys) open(reason string) {
	if k.Open == "" {
		k.Open = reason
	}
}

func (k *Keys) merge(other Keys) {
	k.add(other.Known...)
	k.Maybe = append(k.Maybe, other.Maybe...)
	if other.Open != "" {
		k.open(other.Open)
	}
}

// Union is what several producers of one Secret yield together.
func Union(all ...Keys) Keys {
	var out Keys
	for _, keys := range all {
		out.merge(keys)
	}
	return out
}

// rewritten applies the renaming rules of a dataFrom item, in order. Only
// regular expressions over known keys can be followed; ESO's other rewrites
// depend on values or need a template to run.
func (k Keys) rewritten(rewrites []Rewrite) Keys {
	for _, rewrite := range rewrites {
		if !rewrite.Regexp {
			return Keys{Open: "a rewrite renames the keys while they are fetched"}
		}
		expression, err := regexp.Compile(rewrite.Source)
		if err != nil {
			return Keys{Open: "a rewrite has an expression that does not compile"}
		}
		var renamed Keys
		for _, key := range k.Known {
			renamed.add(expression.ReplaceAllString(key, rewrite.Target))
		}
		if k.Open != "" {
			renamed.open(k.Open)
		}
		k = renamed
	}
	return k
}
