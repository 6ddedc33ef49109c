// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package actuate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/drift-controller/change"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// account sends requests as one user. It is below the dynamic client, since
// only the status code of an apply tells whether it made the object.
type account struct{ client rest.Interface }

func newAccount(config *rest.Config, user string) (*account, error) {
	cfg := rest.CopyConfig(config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: user}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	cfg.ContentType, cfg.AcceptContentTypes = "application/json", "application/json"
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", user, err)
	}
	return &account{client: client}, nil
}

// pathOf is where an object is served.
func pathOf(r schema.GroupVersionResource, namespaced bool, id manifest.ID) []string {
	path := []string{"/apis", r.Group, r.Version}
	if r.Group == "" {
		path = []string{"/api", r.Version}
	}
	if namespaced {
		path = append(path, "namespaces", id.Namespace)
	}
	return append(path, r.Resource, id.Name)
}

func (a *account) get(ctx context.Context, path []string) (*unstructured.Unstructured, error) {
	return decoded(a.client.Get().AbsPath(path...).Do(ctx))
}

// apply sends a full declaration; created says that the object was not there.
func (a *account) apply(ctx context.Context, path []string, body *unstructured.Unstructured, force bool) (o *unstructured.Unstructured, created bool, err error) {
	text, err := json.Marshal(body.Object)
	if err != nil {
		return nil, false, fmt.Errorf("encoding %s %s: %w", body.GetKind(), body.GetName(), err)
	}
	request := a.client.Patch(types.ApplyPatchType).AbsPath(path...).
		Param("fieldManager", contract.DriftFieldManager).Body(text)
	if force {
		request = request.Param("force", "true")
	}
	code := 0
	result := request.Do(ctx).StatusCode(&code)
	o, err = decoded(result)
	return o, code == http.StatusCreated, err
}

func (a *account) patch(ctx context.Context, path []string, ops []change.Op) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, fmt.Errorf("encoding a patch: %w", err)
	}
	return decoded(a.client.Patch(types.JSONPatchType).AbsPath(path...).
		Param("fieldManager", contract.DriftFieldManager).Body(text).Do(ctx))
}

// delete deletes one object and no other that has its name, and only as it was
// seen.
func (a *account) delete(ctx context.Context, path []string, uid, version string) error {
	id, propagation := types.UID(uid), plan.Propagation
	text, err := json.Marshal(metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		Preconditions: &metav1.Preconditions{UID: &id, ResourceVersion: &version}, PropagationPolicy: &propagation,
	})
	if err != nil {
		return fmt.Errorf("encoding a deletion: %w", err)
	}
	return a.client.Delete().AbsPath(path...).Body(text).Do(ctx).Error()
}

func decoded(result rest.Result) (*unstructured.Unstructured, error) {
	text, err := result.Raw()
	if err != nil {
		if said := result.Error(); said != nil {
			return nil, said // with the server's words
		}
		return nil, err
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	return o, nil
}
