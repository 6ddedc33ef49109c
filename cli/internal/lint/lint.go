// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// Input is what is judged.
type Input struct {
	// Files of the source, Name what the user calls it, Path the folder in it.
	Files fs.FS
	Name  string
	Path  string
	// Before is the source at an earlier revision; nil compares with nothing.
	Before fs.FS
	// With are other folders of the source whose declarations count.
	With []string
	// Options of the render; without a kind it is found out.
	Options  render.Options
	Policies []secretsv1.SecretPolicy
	Scope    rule.Scope
}

// patience bounds one render.
const patience = time.Minute

// noCluster is why nothing live is known.
const noCluster = "no cluster is read here"

// Run renders, masks and judges.
func Run(ctx context.Context, in Input) (Report, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return Report{}, fmt.Errorf("making a key to mask values with: %w", err)
	}
	// The files and what they render to are looked at side by side.
	files := make(chan looked, 1)
	policy := rule.NewPolicy(in.Policies, in.Scope.Now)
	go func() { files <- in.look(key, policy.Asks(rule.LeakInSource)) }()
	own, err := in.read(ctx, in.Files, in.Path, key)
	source := <-files
	if err := cmp.Or(err, source.err); err != nil {
		return Report{}, err
	}
	facts := rule.Input{
		Declared: own.set, Scope: in.Scope, Live: rule.NotRead(noCluster),
		Policy: policy, Source: source.Source,
	}
	if in.Before != nil {
		before, err := in.read(ctx, in.Before, in.Path, key)
		if err != nil {
			return Report{}, fmt.Errorf("the revision before: %w", err)
		}
		facts.Previous, facts.Leaked = &before.set, rule.Leaks(before.set)
	}
	if facts.Neighbours, err = in.neighbours(ctx, key); err != nil {
		return Report{}, err
	}
	return newReport(in, own, static(rule.Run(facts).Findings)), nil
}

// looked is what the files say, or why they could not be read.
type looked struct {
	declaration.Source
	err error
}

func (in Input) look(key mask.Key, raw bool) looked {
	source, err := declaration.ReadSource(in.Files, in.Path, declaration.SourceOptions{
		Options: declaration.Options{Namespace: in.Options.Namespace, EvidenceKey: key}, Raw: raw,
	})
	if err != nil {
		err = fmt.Errorf("reading the files of %s: %w", in.Path, err)
	}
	return looked{Source: source, err: err}
}

// static keeps what Git alone can tell. Readiness is about a cluster.
func static(all []finding.Finding) []finding.Finding {
	var kept []finding.Finding
	for _, f := range all {
		if f.Gate == secretsv1.GateDeclaration {
			kept = append(kept, f)
		}
	}
	return kept
}

// folder is one path of a source, rendered.
type folder struct {
	kind  render.Kind
	set   declaration.Set
	notes []string
	// places are where the source declares an object.
	places map[place]manifest.Source
}

// place is an object whatever its version.
type place struct{ kind, namespace, name string }

func (in Input) read(ctx context.Context, files fs.FS, dir string, key mask.Key) (folder, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result, err := render.Render(ctx, files, dir, in.Options)
	if err != nil {
		return folder{}, fmt.Errorf("rendering %s: %w", dir, err)
	}
	out := folder{kind: result.Kind, notes: result.Notes, places: map[place]manifest.Source{}}
	for _, hook := range result.Hooks {
		out.notes = append(out.notes, fmt.Sprintf("%s: hook %s (%s) is not judged", hook.Source, hook.ID, hook.Event))
	}
	objects := make([]*unstructured.Unstructured, 0, len(result.Objects))
	for _, o := range result.Objects {
		objects = append(objects, o.Unstructured)
		out.places[place{o.GetKind(), o.GetNamespace(), o.GetName()}] = o.Source
	}
	masked, err := rendered.Manifests(objects, mask.Scope{Key: key, Tainted: result.TaintedValues()})
	if err != nil {
		return folder{}, fmt.Errorf("masking %s: %w", dir, err)
	}
	parsed, err := declaration.Parse(dir, masked)
	if err != nil {
		return folder{}, err
	}
	out.set = declaration.Read(parsed, declaration.Options{Namespace: in.Options.Namespace, Chart: result.Kind == render.Helm})
	return out, nil
}

// neighbours reads the other folders, each as an Application of its own.
func (in Input) neighbours(ctx context.Context, key mask.Key) (rule.Neighbours, error) {
	var out rule.Neighbours
	for _, dir := range in.With {
		other, err := in.read(ctx, in.Files, dir, key)
		if err != nil {
			return out, err
		}
		for _, p := range other.set.Productions(nil) {
			p.Application = dir
			out.Productions = append(out.Productions, p)
		}
		out.Stores = append(out.Stores, other.set.Stores...)
		out.Namespaces = append(out.Namespaces, other.set.Namespaces...)
		out.ConfigMaps = append(out.ConfigMaps, other.set.ConfigMaps...)
	}
	return out, nil
}
