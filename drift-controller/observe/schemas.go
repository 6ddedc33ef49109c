// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
)

// builtIn are the Go types whose way of writing quantities, base64 and zero
// values we know without asking the server.
var builtIn = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(s))
	utilruntime.Must(apiextensions.AddToScheme(s))
	return s
})

// Types gives what the server says about the kinds of a group version, and a
// hash that changes when it says something else.
func (c *Cluster) Types(ctx context.Context, gv schema.GroupVersion) (compare.Types, string, error) {
	d, err := c.schemas.get(ctx, gv)
	if err != nil {
		return compare.Types{}, "", err
	}
	return compare.Types{Schema: d.converter, Scheme: builtIn(), Quantities: d.quantities}, d.hash, nil
}

// document is the schema of one group version, ready to type objects with.
type document struct {
	hash       string
	converter  managedfields.TypeConverter
	quantities compare.Quantities
}

// schemaCache keeps one document per group version that is in use. Parsing one
// costs about 30 ms and some megabytes, so it is done when first needed and
// again only when its hash changes.
type schemaCache struct {
	ask func() openapi.Client

	mu        sync.Mutex
	fresh     freshness
	paths     map[string]openapi.GroupVersion
	documents map[schema.GroupVersion]document
}

func (s *schemaCache) get(ctx context.Context, gv schema.GroupVersion) (document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return document{}, fmt.Errorf("schema of %s: %w", gv, err)
	}
	path, err := s.path(gv)
	if err != nil {
		return document{}, err
	}
	hash := path.ServerRelativeURL()
	if have, ok := s.documents[gv]; ok && have.hash == hash {
		return have, nil
	}
	d, err := load(path)
	if err != nil {
		// What is wrong with it may be mended at any time, under another hash.
		s.fresh.invalidate()
		return document{}, fmt.Errorf("schema of %s: %w", gv, err)
	}
	d.hash = hash
	if s.documents == nil {
		s.documents = map[schema.GroupVersion]document{}
	}
	s.documents[gv] = d
	return s.documents[gv], nil
}

// path of a document. The index of documents is asked again when it is old, or
// lacks the group version, as after a CRD was applied.
func (s *schemaCache) path(gv schema.GroupVersion) (openapi.GroupVersion, error) {
	name := "apis/" + gv.String()
	if gv.Group == "" {
		name = "api/" + gv.Version
	}
	path, known := s.paths[name]
	if s.fresh.usable(known) {
		return path, missingSchema(gv, known)
	}
	paths, err := s.ask().Paths()
	if err != nil {
		return nil, fmt.Errorf("index of schemas: %w", err)
	}
	s.paths = paths
	s.fresh.refreshed()
	path, known = s.paths[name]
	return path, missingSchema(gv, known)
}

func missingSchema(gv schema.GroupVersion, known bool) error {
	if known {
		return nil
	}
	return fmt.Errorf("schema of %s: %w: the server publishes none", gv, ErrIncomplete)
}

func (s *schemaCache) invalidate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh.invalidate()
}

// load parses the schemas of a document and nothing else: its paths are most
// of its size.
func load(path openapi.GroupVersion) (document, error) {
	text, err := path.Schema(runtime.ContentTypeJSON)
	if err != nil {
		return document{}, err
	}
	var parsed struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		return document{}, fmt.Errorf("parsing: %w", err)
	}
	// Each document holds all that it refers to. A kind that keeps unknown
	// fields says so in its own schema.
	converter, err := managedfields.NewTypeConverter(parsed.Components.Schemas, false)
	return document{converter: converter, quantities: compare.QuantitiesIn(parsed.Components.Schemas)}, err
}
