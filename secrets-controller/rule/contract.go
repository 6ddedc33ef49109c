// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// This file resolves a reference to what produces it. The rules of the
// contract are small views of its answer, one for each way to consume.

// supply is what stands behind a reference.
type supply int

const (
	// supplied: declared, with the key where one is asked for.
	supplied supply = iota
	// elsewhere: declared in other namespaces only.
	elsewhere
	// undeclared: nobody produces the Secret.
	undeclared
	// uncertain: whether somebody produces the Secret cannot be told.
	uncertain
	// keyMissing: the Secret is declared and the key is not.
	keyMissing
	// keyUncertain: the Secret is declared and the key cannot be told.
	keyUncertain
)

// verdict is a supply with what a message needs.
type verdict struct {
	supply supply
	reason string
	by     []declaration.Production
	keys   declaration.Keys
}

// resolve finds the supply of one reference.
func (in Input) resolve(ref declaration.Reference) verdict {
	at := secretName{ref.Namespace, ref.Secret}
	by := slices.Concat(in.index.productions[at], in.outside(at))
	if len(by) == 0 {
		return in.resolveUndeclared(ref, at)
	}
	var keys declaration.Keys
	for _, production := range by {
		if production.Keys.Open == everyKey {
			return verdict{supply: supplied, by: by}
		}
		keys = declaration.Union(keys, production.Keys)
	}
	if ref.Key == "" {
		return verdict{supply: supplied, by: by, keys: keys}
	}
	certainty, reason := keys.Has(ref.Key)
	switch certainty {
	case declaration.KeyDeclared:
		return verdict{supply: supplied, by: by, keys: keys}
	case declaration.KeyUnknown:
		return verdict{supply: keyUncertain, reason: reason, by: by, keys: keys}
	case declaration.KeyAbsent:
	}
	if unread, any := in.unreadIn(ref.Namespace); any {
		return verdict{supply: keyUncertain, by: by, keys: keys, reason: unread.because()}
	}
	return verdict{supply: keyMissing, by: by, keys: keys}
}

func (u UnreadNeighbour) because() string {
	return fmt.Sprintf("Application %s may declare it and could not be read: %s", u.Application, u.Reason)
}

// everyKey marks a producer that a person declared without listing its keys.
const everyKey = "declared in a SecretPolicy for every key"

// outside are the producers that people declared for what Git does not hold.
func (in Input) outside(at secretName) []declaration.Production {
	var out []declaration.Production
	for _, producer := range in.Policy.Producers {
		if producer.Namespace != at.namespace || !matchesName(producer.Name, at.name) {
			continue
		}
		keys := declaration.Keys{Known: producer.Keys}
		if len(producer.Keys) == 0 {
			keys = declaration.Keys{Open: everyKey}
		}
		out = append(out, declaration.Production{
			By:        secretsv1.ObjectReference{Kind: "external producer of", Name: producer.Owner},
			Namespace: at.namespace, Name: at.name, Creates: true, Keys: keys,
		})
	}
	return out
}

func (in Input) resolveUndeclared(ref declaration.Reference, at secretName) verdict {
	if unread, any := in.unreadIn(ref.Namespace); any {
		return verdict{supply: uncertain, reason: unread.because()}
	}
	for _, ces := range in.Declared.ClusterExternalSecrets {
		if ces.Target.Name == ref.Secret && ces.Admits(ref.Namespace, in.index.labels[ref.Namespace]) == declaration.Undecided {
			return verdict{supply: uncertain, reason: fmt.Sprintf(
				"ClusterExternalSecret %s writes it if it selects namespace %s, whose labels are not known", ces.Ref.Name, ref.Namespace)}
		}
	}
	if live, writes := in.index.liveTargets[at]; writes {
		return verdict{supply: uncertain, reason: title(live) +
			" writes it in the cluster, and no Application declares that object: whether it is in Git is not known here"}
	}
	if len(in.index.namespacesOf(ref.Secret)) > 0 {
		return verdict{supply: elsewhere}
	}
	return verdict{supply: undeclared}
}

// dangling are the references of one use whose Secret nobody declares. A
// Secret that is mounted key by key is one fault, at the place that names it.
func (in Input) dangling(use declaration.Use) []finding.Finding {
	return in.danglingWhere(func(ref declaration.Reference) bool { return ref.Use == use && !in.prefixed(ref) })
}

func (in Input) danglingWhere(of func(declaration.Reference) bool) []finding.Finding {
	var out []finding.Finding
	seen := map[declaration.Pointer]secretsv1.ObjectReference{}
	for _, ref := range in.Declared.References {
		if ref.Optional || !of(ref) {
			continue
		}
		v := in.resolve(ref)
		if v.supply != undeclared && v.supply != uncertain || seen[ref.SecretAt] == ref.By {
			continue
		}
		seen[ref.SecretAt] = ref.By
		out = append(out, in.danglingFinding(ref, v))
	}
	return out
}

func (in Input) danglingFinding(ref declaration.Reference, v verdict) finding.Finding {
	f := finding.Finding{Object: ref.By, Path: string(ref.SecretAt)}
	if v.supply == uncertain {
		f.Severity = secretsv1.SeverityUnknown
		f.Message = fmt.Sprintf("whether Git declares Secret %s, read %s, cannot be told: %s", ref.Secret, usage(ref), v.reason)
		return f
	}
	f.Message = fmt.Sprintf("Secret %s is read %s, and nothing in Git produces it in namespace %s%s%s",
		ref.Secret, usage(ref), ref.Namespace,
		in.liveHint(secretName{ref.Namespace, ref.Secret}),
		suggestion(ref.Secret, in.index.namesIn(ref.Namespace)))
	return f
}

// liveHint says whether the Secret is there all the same: made by hand, it
// works today and is gone with the namespace.
func (in Input) liveHint(at secretName) string {
	if !in.Live.Secrets.Known {
		return ""
	}
	if _, exists := in.index.liveSecrets[at]; exists {
		return "; it exists in the cluster, but would not come back with the namespace"
	}
	return "; it is not in the cluster either"
}

// usage says how and by whom a Secret is read.
func usage(ref declaration.Reference) string {
	switch ref.Use {
	case declaration.UseEnv, declaration.UseEnvFrom:
		return fmt.Sprintf("by container %s (%s)", ref.Container, ref.Use)
	case declaration.UseIngressTLS, declaration.UseGatewayTLS:
		return "for TLS"
	case declaration.UseImagePull, declaration.UseServiceAccountPull:
		return "to pull images"
	case declaration.UseIngressAuth:
		return "by an annotation of the Ingress"
	case declaration.UseFlux, declaration.UseField, declaration.UseTemplate:
		return "in " + string(ref.Use)
	case declaration.UseDecryption:
		return "to decrypt"
	case declaration.UseVolume:
	}
	return "as a volume"
}

// producersOf names what writes a Secret, for messages about its keys.
func producersOf(by []declaration.Production) string {
	var names []string
	for _, production := range by {
		if name := titleOf(production); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// listed prints a few names and counts the rest.
func listed(names []string) string {
	const most = 8
	if len(names) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(names))
	if len(sorted) <= most {
		return strings.Join(sorted, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(sorted[:most], ", "), len(sorted)-most)
}
