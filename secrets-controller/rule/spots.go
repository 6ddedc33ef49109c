// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// spot is a finding at a place; Run completes it.
func spot(ref secretsv1.ObjectReference, at declaration.Pointer, format string, args ...any) finding.Finding {
	return finding.Finding{Object: ref, Path: string(at), Message: fmt.Sprintf(format, args...)}
}

// graded gives a finding another severity than its rule's.
func graded(f finding.Finding, severity secretsv1.Severity) finding.Finding {
	f.Severity = severity
	return f
}

// eachBody collects what a check says about every body.
func (in Input) eachBody(say func(body) []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		out = append(out, say(b)...)
	}
	return out
}

// eachES collects what a check says about every ExternalSecret.
func (in Input) eachES(say func(declaration.ExternalSecret) []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		out = append(out, say(es)...)
	}
	return out
}

// eachText collects what a check says about every text of every template.
func (in Input) eachText(say func(body, declaration.TemplateText) []finding.Finding) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		if b.Target.Template == nil {
			return nil
		}
		for _, text := range b.Target.Template.Data {
			out = append(out, say(b, text)...)
		}
		for _, from := range b.Target.Template.From {
			if from.Source == "literal" {
				out = append(out, say(b, from.Literal)...)
			}
		}
		return out
	})
}

func one(f finding.Finding) []finding.Finding { return []finding.Finding{f} }

// before finds an ExternalSecret in the revision before.
func (in Input) before(ref secretsv1.ObjectReference) (declaration.ExternalSecret, bool) {
	if in.Previous == nil {
		return declaration.ExternalSecret{}, false
	}
	for _, es := range in.Previous.ExternalSecrets {
		if es.Ref.Namespace == ref.Namespace && es.Ref.Name == ref.Name {
			return es, true
		}
	}
	return declaration.ExternalSecret{}, false
}

// after finds an ExternalSecret of the revision before in this one.
func (in Input) after(ref secretsv1.ObjectReference) (declaration.ExternalSecret, bool) {
	for _, es := range in.Declared.ExternalSecrets {
		if es.Ref.Namespace == ref.Namespace && es.Ref.Name == ref.Name {
			return es, true
		}
	}
	return declaration.ExternalSecret{}, false
}

// editOf names what this commit changes in a body that was there before and
// synced with interval 0 then too.
func (in Input) editOf(b body) string {
	was, existed := in.before(b.ref)
	if !existed || !ignoresEdits(was.Spec) {
		return ""
	}
	old, now := keysOf(was.Spec), keysOf(b.Spec)
	var changes []string
	for _, key := range now {
		if !slices.Contains(old, key) {
			changes = append(changes, "key "+key+" (added)")
		}
	}
	for _, key := range old {
		if !slices.Contains(now, key) {
			changes = append(changes, "key "+key+" (removed)")
		}
	}
	if len(changes) == 0 && !reflect.DeepEqual(was.Spec, b.Spec) {
		return "the body"
	}
	return strings.Join(changes, ", ")
}

func keysOf(spec declaration.Spec) []string {
	var keys []string
	for _, item := range spec.Data {
		keys = append(keys, item.Key)
	}
	return keys
}

// consumersOf names who reads a Secret.
func (in Input) consumersOf(at secretName) []string {
	var readers []string
	for _, ref := range in.index.consumers[at] {
		if name := title(ref.By); !slices.Contains(readers, name) {
			readers = append(readers, name)
		}
	}
	return readers
}

// valuesOf are the readers of a Secret that need a running process to notice.
func (in Input) deployers() []declaration.Deployer {
	return slices.Concat(in.Declared.Deployers, in.Source.Objects.Deployers)
}

// prunes says whether some tool deletes what it no longer declares.
func (in Input) prunes() bool {
	return in.Scope.GitOps.Prunes || slices.ContainsFunc(in.deployers(), func(d declaration.Deployer) bool { return d.Prunes })
}

// substitutes says whether Flux replaces variables in what is applied, and
// with which ones.
func (in Input) substitutes() (declaration.Deployer, bool) {
	for _, d := range in.Source.Objects.Deployers {
		if d.Substitutes {
			return d, true
		}
	}
	return declaration.Deployer{}, false
}

// spared says whether an object is taken out of Flux's substitution.
func (in Input) spared(ref secretsv1.ObjectReference) bool {
	return in.Declared.Metas[ref].Annotations["kustomize.toolkit.fluxcd.io/substitute"] == "disabled"
}

// trackingLabels are what GitOps tools and Helm mark their objects with.
var trackingLabels = []string{"app.kubernetes.io/instance", "argocd.argoproj.io/instance", "kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"}

// copiesLabel is the tracking label that an ExternalSecret passes on to its
// Secret: without a template all of its labels go there.
func copiesLabel(es declaration.ExternalSecret) string {
	if es.Target.Template != nil {
		return ""
	}
	for _, label := range trackingLabels {
		if es.Labels[label] != "" {
			return label
		}
	}
	return ""
}

// beforeOrBeside: init, sidecar and ephemeral containers.
func beforeOrBeside(ref declaration.Reference) bool {
	at := string(ref.EntryAt)
	return strings.Contains(at, "/initContainers/") || strings.Contains(at, "/ephemeralContainers/")
}

// prefixed says whether a dangling reference names what a kustomization would
// call a declared Secret without its prefix or suffix.
func (in Input) prefixed(ref declaration.Reference) bool {
	_, is := in.prefixedName(ref)
	return is
}

func (in Input) prefixedName(ref declaration.Reference) (string, bool) {
	if len(in.Source.Prefixes)+len(in.Source.Suffixes) == 0 {
		return "", false
	}
	for _, name := range in.index.namesIn(ref.Namespace) {
		for _, prefix := range in.Source.Prefixes {
			if name == prefix+ref.Secret || ref.Secret == prefix+name {
				return name, true
			}
		}
		for _, suffix := range in.Source.Suffixes {
			if name == ref.Secret+suffix || ref.Secret == name+suffix {
				return name, true
			}
		}
	}
	return "", false
}
