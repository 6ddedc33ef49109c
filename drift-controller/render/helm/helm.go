// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"maps"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/v2"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// Options are what a render depends on beside the chart.
type Options struct {
	ReleaseName string
	Namespace   string
	// ValuesFiles are relative to the chart, or to the root of ValuesTree.
	ValuesFiles []string
	// ValuesTree is a second source that holds the values files, if any does.
	ValuesTree *tree.Tree
	// Layers win over files, later ones over earlier ones.
	Layers   []Layer
	SkipCRDs bool
	// KubeVersion and APIVersions are what .Capabilities says. Left out, they
	// are those of the Kubernetes libraries in this program.
	KubeVersion string
	APIVersions []string
	// Now is what the function now gives. A field that depends on it is
	// reported as not deterministic, so any fixed time will do.
	Now time.Time
}

// Layer is a set of values with a name that a reader understands, such as
// "ConfigMap users-env, key values.yaml".
type Layer struct {
	Name string
	// Values is YAML, or with TargetPath the text of one value.
	Values []byte
	// TargetPath is the dotted path of a single value.
	TargetPath string
	// Tainted values come from a Secret or an encrypted file. The renderer
	// treats them as all others; the caller masks what holds them.
	Tainted bool
}

// Output is a rendered chart.
type Output struct {
	Objects []manifest.Object
	// Unstable are pointers to fields on which two renders disagree; the empty
	// pointer is the whole object.
	Unstable map[manifest.ID][]string
	Notes    []string
	Trace    Trace
}

// release is one chart with everything that a render of it needs.
type release struct {
	dir     string
	options Options
	limits  tree.Limits
	chart   *v2.Chart
	guarded *v2.Chart      // with templates that look at limits as they run
	values  map[string]any // without the chart's own
	caps    *common.Capabilities
	notes   []string
	trace   Trace

	validated bool // the schemas were looked at
}

// Render renders the chart in dir twice and compares: what a chart makes up
// anew each time can never be in sync.
func Render(ctx context.Context, t *tree.Tree, dir string, options Options) (Output, error) {
	r, err := prepare(t, dir, options)
	if err != nil {
		return Output{}, err
	}
	now := options.Now
	if now.IsZero() {
		now = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	first, err := r.execute(ctx, now)
	if err != nil {
		return Output{}, err
	}
	// Every part of the date differs, so that whatever depends on it shows.
	second, err := r.execute(ctx, now.AddDate(1, 1, 1).Add(time.Hour+time.Minute+time.Second))
	if err != nil {
		return Output{}, err
	}
	return r.output(first, second)
}

func prepare(t *tree.Tree, dir string, options Options) (*release, error) {
	r := &release{dir: dir, options: options, limits: t.Limits()}
	loaded, err := load(t, dir)
	if err != nil {
		return nil, err
	}
	r.chart, r.notes = loaded.chart, loaded.notes
	if r.caps, err = capabilities(options); err != nil {
		return nil, err
	}
	if err := r.readValues(t); err != nil {
		return nil, err
	}
	if err := r.settleDependencies(); err != nil {
		return nil, err
	}
	r.guarded = guarded(r.chart)
	return r, nil
}

func (r *release) output(first, second execution) (Output, error) {
	out := Output{Notes: r.notes, Trace: r.trace}
	if first.looked || second.looked {
		out.Notes = append(out.Notes, r.dir+": lookup is not run: the chart sees no live objects and renders as if there were none")
	}
	objects, notes, err := r.decode(first.files)
	if err != nil {
		return Output{}, err
	}
	out.Notes = append(out.Notes, notes...)
	if !maps.Equal(first.files, second.files) {
		again, _, err := r.decode(second.files)
		if err != nil {
			return Output{}, err
		}
		out.Unstable = unstable(objects, again)
	}
	crds, err := r.crds()
	out.Objects = append(crds, objects...)
	return out, err
}
