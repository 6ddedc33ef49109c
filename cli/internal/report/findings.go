// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// wide enough that no line of an entry is broken: a code host breaks them.
const unbroken = 400

// Markdown is the preview as a comment on a merge request.
func (v Preview) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Holdfast: %s in %s/%s\n\n%s.\n", mdText(v.Against), mdText(v.Application.Namespace),
		mdText(v.Application.Name), mdText(v.sentence()))
	var object v1alpha1.ObjectReference
	open := false
	for i := range v.Entries {
		e := &v.Entries[i]
		if effectOf(e) == none {
			continue
		}
		if e.Object != object {
			if open {
				b.WriteString("```\n")
			}
			object, open = e.Object, true
			fmt.Fprintf(&b, "\n**%s**\n\n```diff\n", mdText(fullName(object)))
		}
		b.WriteString(strings.ReplaceAll(v.lines(e), "```", "~~~"))
	}
	if open {
		b.WriteString("```\n")
	}
	for i, note := range v.Notes {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- note: %s\n", mdText(note))
	}
	return b.String()
}

// lines are those of an entry, unbroken and without colour.
func (v Preview) lines(e *v1alpha1.DriftEntry) string {
	p := screen.NewPage(screen.Style{Width: unbroken})
	v.entry(p, e)
	return p.String()
}

// mdText is text in which nothing has a meaning to Markdown, mentions somebody
// or moves a cursor.
func mdText(s string) string { return mdSigns.Replace(screen.Clean(s)) }

var mdSigns = strings.NewReplacer(
	"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "|", "\\|", "@", "&#64;", "#", "&#35;",
)
