// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// edges are the rules about an edge from a consumer over its producer to the
// root of trust: where one fires, an empty cluster would not come up.
var edges = []string{
	"consumer-secret-undeclared", "consumer-key-undeclared", "consumer-key-unknowable", "envfrom-undeclared",
	"volume-undeclared", "volume-item-key", "init-and-ephemeral", "imagepullsecret-undeclared", "sa-pullsecret",
	"ingress-tls-undeclared", "ingress-tls-old-annotation", "ingress-auth-annotation", "gateway-certref",
	"cross-namespace-assumption", "prefix-not-rewritten", "flux-refs", "crd-consumers", "tpl-drops-keys",
	"tpl-configmap-missing", "tpl-secret-source-undeclared", "none-with-consumers", "merge-no-base",
	"store-missing", "store-kind-mismatch", "store-other-namespace", "store-ref-empty",
	"store-auth-secret-undeclared", "store-auth-key-missing",
}

// Bounds of what is listed: of one kind in one namespace, and in all.
const (
	mostNamespaces = 50
	mostLines      = 20
	mostInAll      = 60
	longestLine    = 500
)

// Restore says whether every consumed key has a producer in Git, every producer
// its store, and every store its credential: would an empty cluster come up
// from this revision. What only the live cluster has does not count, and
// exceptions of a policy do not either: only its external producers, which are
// the roots that somebody answers for.
func Restore(in Input) secretsv1.Restorability {
	in.Policy = Policy{Producers: in.Policy.Producers}
	namespaces := in.Live.Namespaces
	in.Live = NotRead("only Git counts")
	in.Live.Namespaces = namespaces
	in.Scope.StoresComplete = true
	var rules []Rule
	for _, id := range edges {
		if one, known := ByID(id); known {
			rules = append(rules, one)
		}
	}
	tally := tally{}
	for meta := range in.Declared.Metas {
		tally.of(meta.Namespace)
	}
	for _, f := range RunOnly(in, rules).Findings {
		tally.add(f)
	}
	in.index = newIndex(in)
	for at, owner := range in.roots() {
		tally.of(at.namespace).roots = append(tally.of(at.namespace).roots, "Secret "+at.namespace+"/"+at.name+", held by "+owner)
	}
	return tally.verdict()
}

// roots are the Secrets that are needed and that only people bring.
func (in Input) roots() map[secretName]string {
	needed := map[secretName]bool{}
	for at := range in.index.consumers {
		needed[at] = true
	}
	for _, store := range in.Declared.Stores {
		for _, credential := range store.Credentials {
			needed[secretName{credential.Namespace, credential.Name}] = true
		}
	}
	out := map[secretName]string{}
	for at := range needed {
		if len(in.index.productions[at]) > 0 {
			continue
		}
		for _, production := range in.outside(at) {
			out[at] = production.By.Name
		}
	}
	return out
}

// sum is what was found of one namespace.
type sum struct{ roots, missing, unknown []string }

type tally map[string]*sum

func (t tally) of(namespace string) *sum {
	if t[namespace] == nil {
		t[namespace] = &sum{}
	}
	return t[namespace]
}

func (t tally) add(f finding.Finding) {
	line := title(f.Object) + ": " + f.Message
	switch at := t.of(f.Object.Namespace); f.Severity {
	case secretsv1.SeverityError:
		at.missing = append(at.missing, line)
	case secretsv1.SeverityUnknown:
		at.unknown = append(at.unknown, line)
	case secretsv1.SeverityWarning, secretsv1.SeverityInfo:
		// Says something about an edge that is there.
	}
}

// badness orders the verdicts: the whole is as good as its worst namespace.
var badness = []secretsv1.RestorabilityVerdict{
	secretsv1.Restorable, secretsv1.RestorableWithRoots, secretsv1.RestorabilityUnknown, secretsv1.NotRestorable,
}

func (t tally) verdict() secretsv1.Restorability {
	names := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		worse := slices.Index(badness, t[b].verdict()) - slices.Index(badness, t[a].verdict())
		return cmp.Or(worse, strings.Compare(a, b))
	})
	out := secretsv1.Restorability{Verdict: secretsv1.Restorable}
	left := mostInAll
	for i, namespace := range names {
		if i == 0 {
			out.Verdict = t[namespace].verdict()
		}
		if i == mostNamespaces {
			break
		}
		out.Namespaces = append(out.Namespaces, t[namespace].listed(namespace, &left))
	}
	return out
}

func (s sum) verdict() secretsv1.RestorabilityVerdict {
	switch {
	case len(s.missing) > 0:
		return secretsv1.NotRestorable
	case len(s.unknown) > 0:
		return secretsv1.RestorabilityUnknown
	case len(s.roots) > 0:
		return secretsv1.RestorableWithRoots
	}
	return secretsv1.Restorable
}

// listed names what the verdict rests on, as far as there is room.
func (s sum) listed(namespace string, left *int) secretsv1.NamespaceRestorability {
	out := secretsv1.NamespaceRestorability{Namespace: namespace, Verdict: s.verdict()}
	for _, list := range []struct {
		from []string
		to   *[]string
	}{{s.missing, &out.Missing}, {s.unknown, &out.Unknown}, {s.roots, &out.Roots}} {
		lines := slices.Compact(slices.Sorted(slices.Values(list.from)))
		room := min(len(lines), mostLines, *left)
		*left -= room
		out.More += int32(len(lines) - room) //nolint:gosec // far below 2^31: one artifact is bounded
		for _, line := range lines[:room] {
			*list.to = append(*list.to, shortened(line))
		}
	}
	return out
}

// shortened keeps a line within what the status may hold, in whole characters.
func shortened(line string) string {
	runes := []rune(line)
	if len(runes) <= longestLine {
		return line
	}
	return string(runes[:longestLine-1]) + "…"
}
