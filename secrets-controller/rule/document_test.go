// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

const document = "../../docs/secret-rules.md"

const preamble = `# Rules about secrets

Written by a test from the catalogue (go test ./rule -run TestDocument -update in the secrets-controller), so that it says what the rules say. Each rule has an input that fires and a neighbour that stays silent; the hand-made cases are below ` + "`secrets-controller/testdata/cases`" + `.

Declaration rules judge what Git says, and may hold a sync; readiness rules judge what was delivered, and never do. A rule marked as policy is off until a SecretPolicy gives it a severity. Unknown is a result: the rule could not decide, and says why.

What is not read, and therefore told otherwise than the catalogue of checks asks:

- The type of a live Secret is no metadata, and nothing else of a Secret is read: live-wrong-type says so in an Info.
- Rules about the revision before compare with the one that this controller judged last, which is not kept over a restart: the first judgement after one does not compare.
- Templates are judged in double braces only; other delimiters are an Info (tpl-delimiters).
- What a provider can do (find, tags, a signal for a missing value) is a table that changes with releases: never more than a warning.
- Which fields of custom resources name a Secret is a table; kinds that are not in it are not followed.
- CEL rules of a definition are left to the API server.

What the rules read off the status of an ExternalSecret was held against the operator itself (make eso OPERATOR=PATH KINDS=FOLDER): eleven ways to end, of which eight say Ready=True and one is a delivery to rely on. 2026-12-01, release 0.16.2 with its fake and kubernetes providers: all eleven as expected. That release reports an immutable target as failed, later ones as synced; both are read right.
`

// TestDocument keeps the page for people in step with the catalogue.
func TestDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(preamble)
	text, err := os.ReadFile("../testdata/catalogue.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range strings.Split(string(text), "\n") {
		title, isTitle := strings.CutPrefix(row, "# ")
		switch {
		case isTitle:
			fmt.Fprintf(&b, "\n## %s\n\n| rule | severity | gate | what is wrong, and what helps |\n|---|---|---|---|\n", title)
		case row != "":
			b.WriteString(rowOf(row))
		}
	}
	if *update {
		if err := os.WriteFile(document, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), b.String()); diff != "" {
		t.Errorf("docs/secret-rules.md is not what the catalogue says; refresh it with -update: -have +want\n%s", diff)
	}
}

func rowOf(id string) string {
	r, isRule := rule.ByID(id)
	switch {
	case isRule:
		severity := string(r.Severity)
		if r.Optional {
			severity += ", policy"
		}
		words := strings.NewReplacer("|", "\\|").Replace(r.Explanation + " " + r.Remedy)
		return fmt.Sprintf("| [%s](%s) | %s | %s | %s |\n", id, r.Source, severity, r.Gate, words)
	case judgedElsewhere[id] != "":
		return fmt.Sprintf("| %s | | | judged by %s |\n", id, judgedElsewhere[id])
	}
	return fmt.Sprintf("| %s | silent | | looks like a fault and is none: a test holds that no rule says more than an Info |\n", id)
}
