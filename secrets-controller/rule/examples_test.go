// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// example is one input and what one rule has to say about it.
type example struct {
	reason string
	// git and live are YAML streams; without live no cluster was read.
	git  string
	live string
	// change adjusts the input further.
	change func(*rule.Input)
	// want lists "Severity Kind namespace/name path"; none means silence.
	want []string
}

// examples of a rule, by its id.
type examples map[string][]example

// now is the moment of judgement in all examples.
var now = time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)

func (e example) input(t *testing.T) rule.Input {
	t.Helper()
	in := rule.Input{
		Declared: declaration.Read(parse(t, e.git), declaration.Options{Namespace: "shop"}),
		Scope:    rule.Scope{StoresComplete: true, Now: now, NoStatusAfter: 10 * time.Minute},
	}
	if e.live != "" {
		in.Live = liveOf(parse(t, e.live))
	}
	if e.change != nil {
		e.change(&in)
	}
	return in
}

func parse(t *testing.T, stream string) []declaration.Object {
	t.Helper()
	objects, err := declaration.Parse("example.yaml", []byte(stream))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// liveOf takes objects for what is in the cluster, all kinds being read.
func liveOf(objects []declaration.Object) rule.Live {
	live := rule.Live{
		Stores:          rule.Seen[declaration.StoreState]{Known: true},
		ExternalSecrets: rule.Seen[declaration.ExternalSecretState]{Known: true},
		SealedSecrets:   rule.Seen[declaration.ProducerState]{Known: true},
		Certificates:    rule.Seen[declaration.ProducerState]{Known: true},
		Secrets:         rule.Seen[declaration.SecretState]{Known: true},
		Namespaces:      rule.Seen[declaration.Namespace]{Known: true},
	}
	for _, object := range objects {
		switch object.Ref.Kind {
		case "SecretStore", "ClusterSecretStore":
			live.Stores.Items = append(live.Stores.Items, declaration.ReadStoreState(object))
		case "ExternalSecret":
			live.ExternalSecrets.Items = append(live.ExternalSecrets.Items, declaration.ReadExternalSecretState(object))
		case "SealedSecret":
			live.SealedSecrets.Items = append(live.SealedSecrets.Items, declaration.ReadProducerState(object))
		case "Certificate":
			live.Certificates.Items = append(live.Certificates.Items, declaration.ReadProducerState(object))
		case "Namespace":
			set := declaration.Read([]declaration.Object{object}, declaration.Options{})
			live.Namespaces.Items = append(live.Namespaces.Items, set.Namespaces...)
		}
	}
	return live
}

// secretStates reads the metadata of Secrets among live objects.
func secretStates(t *testing.T, stream string) []declaration.SecretState {
	t.Helper()
	var out []declaration.SecretState
	for _, object := range parse(t, stream) {
		if object.Ref.Kind == "Secret" {
			out = append(out, declaration.NewSecretState(&unstructured.Unstructured{Object: object.Content()}))
		}
	}
	return out
}

// withSecrets adds the metadata of live Secrets: name to keys; nil keys are
// not known.
func withSecrets(secrets map[string][]string) func(*rule.Input) {
	return func(in *rule.Input) {
		in.Live.Secrets.Known = true
		for _, name := range slices.Sorted(maps.Keys(secrets)) {
			in.Live.Secrets.Items = append(in.Live.Secrets.Items, declaration.SecretState{
				Namespace: "shop", Name: name, Keys: secrets[name], KeysKnown: secrets[name] != nil,
			})
		}
	}
}

func line(f finding.Finding) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.Severity, f.Object.Kind, finding.Name(f.Object), f.Path))
}

// TestCatalogue runs every rule over its examples, and demands that each has
// one that fires and one that stays silent.
func TestCatalogue(t *testing.T) {
	all := examples{}
	for _, group := range []examples{
		shapeExamples, storeExamples, ownershipExamples, templateExamples,
		contractExamples, tlsExamples, openExamples, sealedExamples, liveExamples,
	} {
		maps.Copy(all, group)
	}
	for _, r := range rule.Catalogue {
		t.Run(r.ID, func(t *testing.T) {
			fires, silent := false, false
			for _, e := range all[r.ID] {
				fires = fires || len(e.want) > 0
				silent = silent || len(e.want) == 0
				var got []string
				for _, f := range rule.RunOnly(e.input(t), []rule.Rule{r}).Findings {
					got = append(got, line(f))
					if f.Message == "" || f.Rule != r.ID || f.Gate == "" {
						t.Errorf("%s: incomplete finding %+v", e.reason, f)
					}
				}
				if diff := cmp.Diff(e.want, got); diff != "" {
					t.Errorf("%s: -want +got\n%s", e.reason, diff)
				}
			}
			if _, paired := readPair(t, r.ID); paired {
				return // judged by TestPairs
			}
			if !fires || !silent {
				t.Errorf("want an example that fires and one that is silent, got fires=%v silent=%v", fires, silent)
			}
			delete(all, r.ID)
		})
	}
	for id := range all {
		t.Errorf("examples for %s, which is not in the catalogue", id)
	}
}

// Builders for the objects that most examples need.

func object(apiVersion, kind, name, rest string) string {
	return fmt.Sprintf("---\napiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  namespace: shop\n%s\n",
		apiVersion, kind, name, strings.TrimRight(rest, "\n"))
}

func indent(text string, by int) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+pad)
}

func externalSecret(name, spec string) string {
	return object("external-secrets.io/v1", "ExternalSecret", name, "spec:\n"+indent(spec, 2))
}

// fetching is an ExternalSecret with one plain key.
func fetching(name, key, more string) string {
	return externalSecret(name, fmt.Sprintf(
		"secretStoreRef: {name: vault}\n%s\ndata: [{secretKey: %s, remoteRef: {key: shop/db}}]", more, key))
}

func store(name string) string {
	return object("external-secrets.io/v1", "SecretStore", name, "spec: {provider: {vault: {server: https://vault.example}}}")
}

func clusterStore(name, spec string) string {
	return fmt.Sprintf("---\napiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata: {name: %s}\nspec: %s\n", name, spec)
}

func pod(spec string) string {
	return object("apps/v1", "Deployment", "api",
		"spec:\n  template:\n    spec:\n"+indent(spec, 6))
}

// reads is a Deployment whose container reads one key.
func reads(secret, key string) string {
	return pod(fmt.Sprintf(`containers:
- name: api
  env:
  - name: VALUE
    valueFrom: {secretKeyRef: {name: %s, key: %s}}`, secret, key))
}

const envAt = "/spec/template/spec/containers/0/env/0/valueFrom/secretKeyRef"
