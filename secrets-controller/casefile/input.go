// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

// Input builds what the rules see. Manifests are given apart, so that a case
// can be run over its masked form as well.
func (c Case) Input(manifests []byte) (rule.Input, error) {
	objects, err := declaration.Parse(c.Name+"/manifests.yaml", manifests)
	if err != nil {
		return rule.Input{}, err
	}
	scope, err := c.scope()
	if err != nil {
		return rule.Input{}, err
	}
	in := rule.Input{
		Declared: declaration.Read(objects, declaration.Options{}),
		Policy:   rule.NewPolicy([]secretsv1.SecretPolicy{c.policy()}, scope.Now),
		Scope:    scope,
	}
	if err := c.addHistory(&in); err != nil {
		return rule.Input{}, err
	}
	if c.Live != nil {
		if in.Live, err = c.live(); err != nil {
			return rule.Input{}, err
		}
	}
	// Namespaces bear the labels that are shown and no others.
	in.Live.Namespaces = rule.Seen[declaration.Namespace]{Known: true}
	for _, object := range objects {
		if object.Ref.Namespace != "" {
			in.Live.Namespaces.Items = append(in.Live.Namespaces.Items,
				declaration.NewNamespace(object.Ref.Namespace, nil))
		}
	}
	return in, nil
}

// addHistory adds the revision before and the files beside the manifests.
func (c Case) addHistory(in *rule.Input) error {
	if c.Previous != nil {
		objects, err := declaration.Parse(c.Name+"/previous.yaml", c.Previous)
		if err != nil {
			return err
		}
		previous := declaration.Read(objects, declaration.Options{})
		in.Previous = &previous
	}
	if c.Source == nil {
		return nil
	}
	var err error
	in.Source, err = declaration.ReadSource(c.Source, "source", declaration.SourceOptions{Raw: c.Expect.Context.RawScan})
	return err
}

// The releases that a case is judged against unless it says otherwise.
const defaultOperator, defaultKubernetes = "2.9.0", "1.35"

func (c Case) scope() (rule.Scope, error) {
	context := c.Expect.Context
	is := func(key string) bool { yes, _ := context.GitOps[key].(bool); return yes }
	tool, _ := context.GitOps["tool"].(string)
	scope := rule.Scope{
		StoresComplete:  context.Stores != "external",
		NoStatusAfter:   10 * time.Minute,
		ForeignSelfHeal: is("selfHeal"),
		Operator:        schema.ParseVersion(cmp.Or(context.ESO, defaultOperator)),
		Kubernetes:      schema.ParseVersion(cmp.Or(context.Kubernetes, defaultKubernetes)),
		FakeNamespaces:  context.FakeStoreNamespaces,
		GitOps: rule.GitOps{
			Tool: tool, TracksByLabel: context.GitOps["tracking"] == "label", Prunes: is("prune"), Plugin: is("plugin"),
		},
	}
	var err error
	if text := c.Expect.Context.NoStatusAfter; text != "" {
		if scope.NoStatusAfter, err = time.ParseDuration(text); err != nil {
			return scope, fmt.Errorf("case %s: context.noStatusAfter: %w", c.Name, err)
		}
	}
	if text := c.Expect.Context.Now; text != "" {
		if scope.Now, err = time.Parse(time.RFC3339, text); err != nil {
			return scope, fmt.Errorf("case %s: context.now: %w", c.Name, err)
		}
	}
	return scope, nil
}

// policy says in a SecretPolicy what the context says about Secrets that are
// made outside Git.
func (c Case) policy() secretsv1.SecretPolicy {
	var policy secretsv1.SecretPolicy
	add := func(secret string, keys []string) {
		namespace, name, _ := strings.Cut(secret, "/")
		policy.Spec.Producers = append(policy.Spec.Producers, secretsv1.ExternalProducer{
			Accountability: secretsv1.Accountability{Owner: "the case", Reason: "context"},
			Namespace:      namespace, Name: name, Keys: keys,
		})
	}
	for _, id := range c.Expect.Rules {
		// A policy rule is on where the case lists it.
		if one, known := rule.ByID(id); known && one.Optional {
			policy.Spec.Severities = append(policy.Spec.Severities, secretsv1.RuleSeverity{Rule: id, Severity: string(one.Severity)})
		}
	}
	for _, root := range c.Expect.Context.AcceptedRoots {
		add(root, nil)
	}
	for _, producer := range c.Expect.Context.ExternalProducers {
		add(producer.Secret, producer.Keys)
	}
	return policy
}

// live reads the cluster state of a case: what is not in the file does not
// exist, except for the versions of a definition that is not shown.
func (c Case) live() (rule.Live, error) {
	live := rule.Live{
		Stores:          rule.Seen[declaration.StoreState]{Known: true},
		ExternalSecrets: rule.Seen[declaration.ExternalSecretState]{Known: true},
		SealedSecrets:   rule.Seen[declaration.ProducerState]{Known: true},
		Certificates:    rule.Seen[declaration.ProducerState]{Known: true},
		Secrets:         rule.Seen[declaration.SecretState]{Known: true},
		Definitions:     map[string]schema.Definition{},
	}
	for i, text := range strings.Split("\n"+string(c.Live), "\n---") {
		raw, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return live, fmt.Errorf("case %s: live.yaml: document %d is not valid YAML", c.Name, i+1)
		}
		var content map[string]any
		if err := json.Unmarshal(raw, &content); err != nil || content == nil {
			continue
		}
		addLive(&live, content)
	}
	return live, nil
}

func addLive(live *rule.Live, content map[string]any) {
	object := declaration.NewObject(content)
	switch object.Ref.Kind {
	case declaration.SecretStoreKind, declaration.ClusterSecretStoreKind:
		live.Stores.Items = append(live.Stores.Items, declaration.ReadStoreState(object))
	case "ExternalSecret":
		live.ExternalSecrets.Items = append(live.ExternalSecrets.Items, declaration.ReadExternalSecretState(object))
	case "SealedSecret":
		live.SealedSecrets.Items = append(live.SealedSecrets.Items, declaration.ReadProducerState(object))
	case "Certificate":
		live.Certificates.Items = append(live.Certificates.Items, declaration.ReadProducerState(object))
	case "Secret":
		var meta metav1.Object = &unstructured.Unstructured{Object: content}
		live.Secrets.Items = append(live.Secrets.Items, declaration.NewSecretState(meta))
	case "CustomResourceDefinition":
		addVersions(live, content)
		if definition, err := schema.ReadDefinition(content); err == nil {
			live.Definitions[definition.Group+"/"+definition.Kind] = definition
		}
	}
}

func addVersions(live *rule.Live, content map[string]any) {
	if kind, _, _ := unstructured.NestedString(content, "spec", "names", "kind"); kind != "ExternalSecret" {
		return
	}
	live.Versions.Known = true
	versions, _, _ := unstructured.NestedSlice(content, "spec", "versions")
	for _, item := range versions {
		version, _ := item.(map[string]any)
		if served, _ := version["served"].(bool); served {
			name, _ := version["name"].(string)
			live.Versions.Items = append(live.Versions.Items, name)
		}
	}
}
