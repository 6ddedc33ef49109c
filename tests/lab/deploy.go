// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// Decode reads the objects of a YAML file.
func Decode(text []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(o)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading objects: %w", err)
		}
		if len(o.Object) > 0 {
			objects = append(objects, o)
		}
	}
}

// Apply applies objects server-side under a field manager. What belongs to no
// namespace is removed when the test ends.
func (s *Space) Apply(ctx context.Context, manager string, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		if err := s.place(o); err != nil {
			return err
		}
	}
	return s.Cluster.Apply(ctx, manager, objects...)
}

// Deploy creates objects, or replaces those that are there, as a tool does that
// knows no server-side apply.
func (s *Space) Deploy(ctx context.Context, manager string, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		if err := s.place(o); err != nil {
			return err
		}
		err := s.Client.Create(ctx, o.DeepCopy(), client.FieldOwner(manager))
		if apierrors.IsAlreadyExists(err) {
			err = s.replace(ctx, manager, o)
		}
		if err != nil {
			return fmt.Errorf("deploying %s %s as %s: %w", o.GetKind(), o.GetName(), manager, err)
		}
	}
	return nil
}

func (s *Space) replace(ctx context.Context, manager string, o *unstructured.Unstructured) error {
	current := &unstructured.Unstructured{}
	current.SetGroupVersionKind(o.GroupVersionKind())
	if err := s.Client.Get(ctx, client.ObjectKeyFromObject(o), current); err != nil {
		return err
	}
	next := o.DeepCopy()
	next.SetResourceVersion(current.GetResourceVersion())
	return s.Client.Update(ctx, next, client.FieldOwner(manager))
}

// place puts an object without a namespace into that of the test.
func (s *Space) place(o *unstructured.Unstructured) error {
	var namespaced bool
	// Asked of the server, which may learn the kind at this very moment.
	err := Poll(context.Background(), func(context.Context) (err error) {
		namespaced, err = s.Client.IsObjectNamespaced(o)
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	case namespaced && o.GetNamespace() == "":
		o.SetNamespace(s.Namespace)
	case !namespaced:
		s.cleanup(func() { s.remove(o) })
	}
	return nil
}

// Chart is a Helm release to deploy.
type Chart struct {
	Release, Path string
	ValuesFiles   []string
}

// DeployChart does what helm upgrade does: it renders a chart of a folder, and
// writes the objects under Helm's field manager with Helm's marks.
func (s *Space) DeployChart(ctx context.Context, folder string, c Chart) error {
	root, err := openFolder(folder)
	if err != nil {
		return err
	}
	rendered, err := render.Render(ctx, root, c.Path, render.Options{
		Kind: render.Helm, Namespace: s.Namespace, Cluster: render.Cluster{KubeVersion: "v1.36.3"},
		Helm: render.HelmOptions{ReleaseName: c.Release, ValuesFiles: c.ValuesFiles},
	})
	if err != nil {
		return fmt.Errorf("rendering chart %s: %w", c.Path, err)
	}
	objects := make([]*unstructured.Unstructured, 0, len(rendered.Objects))
	for _, o := range rendered.Objects {
		objects = append(objects, s.mark(o.DeepCopy(), c.Release))
	}
	return s.Deploy(ctx, "helm", objects)
}

// mark puts Helm's bookkeeping on an object.
func (s *Space) mark(o *unstructured.Unstructured, release string) *unstructured.Unstructured {
	labels, annotations := o.GetLabels(), o.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels["app.kubernetes.io/managed-by"] = "Helm"
	annotations["meta.helm.sh/release-name"] = release
	annotations["meta.helm.sh/release-namespace"] = s.Namespace
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
	return o
}
