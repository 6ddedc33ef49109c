// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// Namespace and Application of the story.
const (
	Namespace   = "users"
	Application = "users-api"
)

//go:embed all:repository
var repository embed.FS

// files are the repository's files, as they were half a year ago.
func files() (map[string][]byte, error) {
	content := map[string][]byte{}
	err := fs.WalkDir(repository, "repository", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := repository.ReadFile(path)
		content[path[len("repository/"):]] = text
		return err
	})
	return content, err
}

// deployWithHelm does what `helm upgrade` did half a year ago: it renders the
// chart and writes the objects under Helm's field manager, with Helm's marks.
func (d *Demo) deployWithHelm(ctx context.Context, at time.Time) error {
	root, err := fs.Sub(repository, "repository")
	if err != nil {
		return fmt.Errorf("reading the chart: %w", err)
	}
	chart, err := render.Render(ctx, root, "services/users-api", render.Options{
		Kind: render.Helm, Namespace: Namespace, Cluster: render.Cluster{KubeVersion: "v1.36.3"},
		Helm: render.HelmOptions{ReleaseName: Application, ValuesFiles: []string{"values-prod.yaml"}},
	})
	if err != nil {
		return fmt.Errorf("rendering the chart: %w", err)
	}
	for _, o := range chart.Objects {
		object := o.DeepCopy()
		if err := d.create(ctx, marked(object), "helm"); err != nil {
			return err
		}
		if err := d.backdate(ctx, object, "helm", at); err != nil {
			return err
		}
	}
	return nil
}

// marked puts Helm's bookkeeping on an object.
func marked(o *unstructured.Unstructured) *unstructured.Unstructured {
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["app.kubernetes.io/managed-by"] = "Helm"
	o.SetLabels(labels)
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["meta.helm.sh/release-name"] = Application
	annotations["meta.helm.sh/release-namespace"] = Namespace
	o.SetAnnotations(annotations)
	if o.GetNamespace() == "" {
		o.SetNamespace(Namespace)
	}
	return o
}
