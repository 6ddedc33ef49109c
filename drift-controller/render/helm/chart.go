// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/ignore"

	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// ChartFile marks a folder as a chart.
const ChartFile = "Chart.yaml"

// maxLocal bounds how deep charts of the tree may depend on each other.
const maxLocal = 8

type loaded struct {
	chart *v2.Chart
	notes []string
}

func load(t *tree.Tree, dir string) (loaded, error) {
	kind, err := t.Kind(path.Join(dir, ChartFile))
	if err != nil {
		return loaded{}, err
	}
	if kind != tree.File {
		return loaded{}, &tree.Error{Kind: tree.ErrMissing, Path: dir, Message: "has no Chart.yaml, which the helm renderer needs"}
	}
	l := chartLoader{tree: t}
	c, err := l.load(dir, 0)
	if err != nil {
		return loaded{}, err
	}
	if c.Metadata.Type == "library" {
		return loaded{}, fmt.Errorf("%s: a library chart renders nothing of its own: name the chart that uses it", path.Join(dir, ChartFile))
	}
	if c.Metadata.Deprecated {
		l.notes = append(l.notes, path.Join(dir, ChartFile)+": the chart calls itself deprecated")
	}
	return loaded{chart: c, notes: l.notes}, nil
}

type chartLoader struct {
	tree  *tree.Tree
	notes []string
}

func (l *chartLoader) load(dir string, depth int) (*v2.Chart, error) {
	if depth > maxLocal {
		return nil, fmt.Errorf("%s: charts of this repository depend on each other more than %d levels deep", dir, maxLocal)
	}
	rules, err := l.ignoreRules(dir)
	if err != nil {
		return nil, err
	}
	files, err := l.files(dir, "", rules)
	if err != nil {
		return nil, err
	}
	c, err := loader.LoadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return c, l.addLocal(dir, c, depth)
}

func (l *chartLoader) ignoreRules(dir string) (*ignore.Rules, error) {
	rules := ignore.Empty()
	name := path.Join(dir, ignore.HelmIgnore)
	data, err := l.tree.ReadFile(name)
	switch {
	case errors.Is(err, tree.ErrMissing):
	case err != nil:
		return nil, err
	default:
		if rules, err = ignore.Parse(bytes.NewReader(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	rules.AddDefaults()
	return rules, nil
}

func (l *chartLoader) files(dir, below string, rules *ignore.Rules) ([]*archive.BufferedFile, error) {
	entries, err := l.tree.List(path.Join(dir, below))
	if err != nil {
		return nil, err
	}
	var files []*archive.BufferedFile
	for _, entry := range entries {
		name := path.Join(below, entry.Name)
		if rules.Ignore(name, member{entry}) {
			continue
		}
		switch {
		case entry.Kind == tree.Dir && entry.Link:
			l.notes = append(l.notes, path.Join(dir, name)+": a symbolic link to a folder is not followed")
		case entry.Kind == tree.Dir:
			inner, err := l.files(dir, name, rules)
			if err != nil {
				return nil, err
			}
			files = append(files, inner...)
		default:
			data, err := l.tree.ReadFile(path.Join(dir, name))
			if err != nil {
				return nil, err
			}
			files = append(files, &archive.BufferedFile{Name: name, Data: bytes.TrimPrefix(data, []byte("\ufeff"))})
		}
	}
	return files, nil
}

// addLocal loads dependencies that are folders of the tree (file://…) and were
// not copied into charts/, as Helm's "dependency build" would do.
func (l *chartLoader) addLocal(dir string, c *v2.Chart, depth int) error {
	for _, dependency := range c.Metadata.Dependencies {
		if dependency == nil {
			continue
		}
		folder, isLocal := strings.CutPrefix(dependency.Repository, "file://")
		if !isLocal || has(c, dependency) {
			continue
		}
		at, err := tree.Join(dir, folder)
		if err != nil {
			return fmt.Errorf("%s: dependency %s: %w", path.Join(dir, ChartFile), dependency.Name, err)
		}
		if kind, err := l.tree.Kind(path.Join(at, ChartFile)); err != nil || kind != tree.File {
			continue // reported as missing, if it is used at all
		}
		inner, err := l.load(at, depth+1)
		if err != nil {
			return err
		}
		c.AddDependency(inner)
	}
	return nil
}

func has(c *v2.Chart, dependency *v2.Dependency) bool {
	return slices.ContainsFunc(c.Dependencies(), func(d *v2.Chart) bool {
		return d.Name() == dependency.Name && util.IsCompatibleRange(dependency.Version, d.Metadata.Version)
	})
}

// settleDependencies drops what conditions and tags switch off, and refuses to
// go on without what is left: half a chart is no statement.
func (r *release) settleDependencies() error {
	if err := util.ProcessDependencies(r.chart, r.values); err != nil {
		return r.explain(err)
	}
	var missing []string
	for _, dependency := range r.chart.Metadata.Dependencies {
		if dependency == nil {
			continue
		}
		found := slices.ContainsFunc(r.chart.Dependencies(), func(d *v2.Chart) bool { return d.Name() == dependency.Name })
		if !found {
			missing = append(missing, strings.TrimSpace(dependency.Name+" "+dependency.Version))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: dependency %s is not in charts/, and nothing is downloaded: commit it there (helm dependency build)",
		path.Join(r.dir, ChartFile), strings.Join(missing, ", "))
}

// member is as much of an fs.FileInfo as ignore rules look at.
type member struct{ entry tree.Entry }

func (f member) Name() string       { return f.entry.Name }
func (f member) Size() int64        { return 0 }
func (f member) Mode() fs.FileMode  { return 0 }
func (f member) ModTime() time.Time { return time.Time{} }
func (f member) IsDir() bool        { return f.entry.Kind == tree.Dir }
func (f member) Sys() any           { return nil }
