// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// external reads what the spec refers to in the cluster, as the observer.
func (c *Cache) external(ctx context.Context, req Request) (render.External, error) {
	var e render.External
	spec := req.Spec.Render
	if spec == nil {
		return e, nil
	}
	if spec.Helm != nil {
		if spec.Helm.ValuesSourceRef != nil {
			return e, halt.Stalledf(contract.NotOfferedReason, "render.helm.valuesSourceRef is not offered yet: keep the values files beside the chart")
		}
		for i, ref := range spec.Helm.ValuesFrom {
			layer, err := c.layer(ctx, req, ref)
			if err != nil {
				return e, fmt.Errorf("render.helm.valuesFrom[%d]: %w", i, err)
			}
			e.Layers = append(e.Layers, layer...)
		}
	}
	if spec.Substitute != nil {
		variables, err := c.variables(ctx, req, spec.Substitute.From)
		if err != nil {
			return e, err
		}
		e.Variables = variables
	}
	if ref := spec.Decryption; ref != nil && ref.SecretRef != nil {
		data, err := c.read(ctx, req, "Secret", ref.SecretRef.Name)
		if err != nil {
			return e, fmt.Errorf("render.decryption.secretRef: %w", err)
		}
		e.Keys = render.AgeKeys(data, ref.SecretRef.Key)
	}
	return e, nil
}

func (c *Cache) layer(ctx context.Context, req Request, ref api.ValuesReference) ([]render.Layer, error) {
	data, err := c.read(ctx, req, ref.Kind, ref.Name)
	if err != nil {
		return nil, err
	}
	key := ref.ValuesKey
	if key == "" {
		key = "values.yaml"
	}
	text, ok := data[key]
	switch {
	case ok:
	case ref.Optional:
		return nil, nil
	default:
		return nil, halt.Waitf(contract.BuildFailedReason, retryValues, "%s %s/%s has no key %s", ref.Kind, req.App.Namespace, ref.Name, key)
	}
	return []render.Layer{{
		Name: fmt.Sprintf("%s/%s key %s", ref.Kind, ref.Name, key), Values: []byte(text), TargetPath: ref.TargetPath,
		Tainted: ref.Kind == "Secret",
	}}, nil
}

func (c *Cache) variables(ctx context.Context, req Request, refs []api.SubstituteReference) (render.Variables, error) {
	v := render.Variables{Values: map[string]string{}, Tainted: map[string]bool{}}
	for i, ref := range refs {
		data, err := c.read(ctx, req, ref.Kind, ref.Name)
		if err != nil {
			if ref.Optional && errors.Is(err, errNotThere) {
				continue
			}
			return v, fmt.Errorf("render.substitute.from[%d]: %w", i, err)
		}
		for name, value := range data {
			v.Values[name] = value
			delete(v.Tainted, name)
			if ref.Kind == "Secret" {
				v.Tainted[name] = true
			}
		}
	}
	return v, nil
}

// retryValues is how soon a reference that is not there is looked for again.
const retryValues = 30 * time.Second

var errNotThere = errors.New("it does not exist")

// read gives the decoded data of a ConfigMap or Secret of the Application's
// own namespace.
func (c *Cache) read(ctx context.Context, req Request, kind, name string) (map[string]string, error) {
	if req.Denied != "" {
		return nil, halt.Waitf(contract.IdentityMissingReason, 0, "%s", req.Denied)
	}
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind(kind)
	o.SetNamespace(req.App.Namespace)
	o.SetName(name)
	seen := req.Observer.Read(ctx, manifest.Object{Unstructured: o}, observe.Surroundings{})
	switch {
	case seen.Failure != nil:
		return nil, halt.Waitf(contract.BuildFailedReason, retryValues, "reading %s %s/%s: %s", kind, req.App.Namespace, name, seen.Failure.Message)
	case seen.Live == nil:
		return nil, halt.Waitf(contract.BuildFailedReason, retryValues, "%s %s/%s: %w", kind, req.App.Namespace, name, errNotThere)
	}
	raw, _, _ := unstructured.NestedStringMap(seen.Live.Object, "data")
	if kind != "Secret" {
		return raw, nil
	}
	data := make(map[string]string, len(raw))
	for key, encoded := range raw {
		plain, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, halt.Stalledf(contract.BuildFailedReason, "Secret %s/%s key %s is no base64", req.App.Namespace, name, key)
		}
		data[key] = string(plain)
	}
	return data, nil
}

// lastName is the name that a values file would have for the field: the last
// one, or that of the item for the value of a variable.
func lastName(pointer string) string {
	tokens := keyedpath.Tokens(pointer)
	if len(tokens) == 0 {
		return ""
	}
	last := tokens[len(tokens)-1]
	if last != "value" || len(tokens) < 2 {
		return last
	}
	item := strings.TrimSuffix(strings.TrimPrefix(tokens[len(tokens)-2], "[name="), "]")
	return item
}

// Server serves the masked manifests until its context ends.
type Server struct {
	Address string
	Cache   *Cache
}

// NeedLeaderElection is true: the files are those of the process that wrote them.
func (s Server) NeedLeaderElection() bool { return true }

// Start serves.
func (s Server) Start(ctx context.Context) error {
	server := &http.Server{
		Addr: s.Address, Handler: s.Cache.served,
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute,
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.ListenAndServe() }()
	select {
	case err := <-stopped:
		return fmt.Errorf("serving rendered artifacts on %s: %w", s.Address, err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(ending)
}
