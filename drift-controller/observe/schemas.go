// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
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

// SchemaKeys gives, for group versions, what changes when the server says
// something else about their kinds. It parses nothing.
func (c *Cluster) SchemaKeys(gvs []schema.GroupVersion) map[schema.GroupVersion]string {
	return c.schemas.keys(gvs)
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
	name := nameOf(gv)
	_, known := s.paths[name]
	if err := s.refresh(known); err != nil {
		return nil, err
	}
	path, known := s.paths[name]
	return path, missingSchema(gv, known)
}

// refresh asks for the index of documents, unless the one at hand is good.
func (s *schemaCache) refresh(serves bool) error {
	if s.fresh.usable(serves) {
		return nil
	}
	paths, err := s.ask().Paths()
	if err != nil {
		return fmt.Errorf("index of schemas: %w", err)
	}
	s.paths = paths
	s.fresh.refreshed()
	return nil
}

func nameOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

// keys gives what stands for each schema now, or stood when the server last
// told: without an answer nothing is known to have changed. A group version
// without a schema is left out, and no reason to ask again: who judges its
// objects finds that out.
func (s *schemaCache) keys(gvs []schema.GroupVersion) map[schema.GroupVersion]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.refresh(true)
	keys := make(map[schema.GroupVersion]string, len(gvs))
	for _, gv := range gvs {
		if path, known := s.paths[nameOf(gv)]; known {
			keys[gv] = shortened(path.ServerRelativeURL())
		}
	}
	return keys
}

// shortened leaves of an address what tells two documents apart: it is kept for
// each object. A server that puts no hash into it gives the same at all times.
func shortened(address string) string {
	const enough = 16
	_, hash, found := strings.Cut(address, "hash=")
	if !found {
		return address
	}
	return hash[:min(len(hash), enough)]
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
