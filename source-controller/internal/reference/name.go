// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"strings"
)

// forbidden are the characters that git-check-ref-format refuses; the glob
// characters among them would turn one reference into a pattern of many.
const forbidden = " ~^:?*[\\\x7f"

// checkName checks a branch or tag in its short form. A leading dash is refused
// although the full name hides it from Git's option parser: no host lets one be
// created, so it can only be an attempt.
func checkName(field, prefix, short string) error {
	if short == "" {
		return nil
	}
	if strings.HasPrefix(short, "-") {
		return fmt.Errorf("%w: %s %q begins with a dash", ErrInvalid, field, short)
	}
	if fault := fault(prefix + short); fault != "" {
		return fmt.Errorf("%w: %s %q %s", ErrInvalid, field, short, fault)
	}
	return nil
}

// checkFullName checks spec.ref.name, which may carry the peel suffix of a tag.
func checkFullName(name string) error {
	if name == "" || name == "HEAD" {
		return nil
	}
	const field = "spec.ref.name"
	if !strings.HasPrefix(name, "refs/") {
		return fmt.Errorf("%w: %s %q is no full reference, such as refs/heads/main", ErrInvalid, field, name)
	}
	bare := name
	if strings.HasPrefix(name, tagPrefix) {
		bare = strings.TrimSuffix(name, peelSuffix)
	}
	if fault := fault(bare); fault != "" {
		return fmt.Errorf("%w: %s %q %s", ErrInvalid, field, name, fault)
	}
	return nil
}

// fault says what is wrong with a full reference name, by the rules of
// git-check-ref-format; empty for a good one.
func fault(full string) string {
	for _, component := range strings.Split(full, "/") {
		switch {
		case component == "":
			return "begins or ends with a slash, or has two in a row"
		case strings.HasPrefix(component, "."):
			return "has a component that begins with a dot"
		case strings.HasSuffix(component, ".lock"):
			return "has a component that ends with .lock"
		}
	}
	for _, r := range full {
		if r < ' ' || strings.ContainsRune(forbidden, r) {
			return fmt.Sprintf("has the character %q", r)
		}
	}
	switch {
	case strings.Contains(full, ".."):
		return "has two dots in a row"
	case strings.Contains(full, "@{"):
		return "has the sequence @{"
	case strings.HasSuffix(full, "."):
		return "ends with a dot"
	}
	return ""
}
