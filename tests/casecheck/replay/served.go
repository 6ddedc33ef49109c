// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// servedTime bounds the wait for the kinds of a new definition.
const servedTime = time.Minute

// awaitServed waits until the API server serves the kinds of the definitions
// among the objects and has published their schemas: both come a moment after
// a definition is stored, and in a case they were there long before.
func (s *Stage) awaitServed(ctx context.Context, objects []*unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(ctx, servedTime)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	wanted := groupVersions(objects)
	for len(wanted) > 0 {
		published, err := s.disco.OpenAPIV3().Paths()
		if err != nil {
			return fmt.Errorf("schemas of the server: %w", err)
		}
		for path := range wanted {
			if _, there := published[path]; there {
				delete(wanted, path)
			}
		}
		if len(wanted) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("definitions are not served: %v", wanted), ctx.Err())
		case <-tick.C:
		}
	}
	for _, o := range objects {
		if err := s.awaitKinds(ctx, o, tick.C); err != nil {
			return err
		}
	}
	return nil
}

// awaitKinds waits until discovery has the kind of a definition, in each
// version that is served.
func (s *Stage) awaitKinds(ctx context.Context, definition *unstructured.Unstructured, tick <-chan time.Time) error {
	if definition.GetKind() != "CustomResourceDefinition" {
		return nil
	}
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	for path := range groupVersions([]*unstructured.Unstructured{definition}) {
		version := path[strings.LastIndex(path, "/")+1:]
		for {
			_, err := s.mapper.RESTMapping(schema.GroupKind{Group: group, Kind: kind}, version)
			if err == nil {
				break
			}
			s.mapper.Reset()
			select {
			case <-ctx.Done():
				return errors.Join(fmt.Errorf("kind %s is not served in %s", kind, version), err, ctx.Err())
			case <-tick:
			}
		}
	}
	return nil
}

// groupVersions are the schema documents that definitions bring, by path.
func groupVersions(objects []*unstructured.Unstructured) map[string]bool {
	paths := map[string]bool{}
	for _, o := range objects {
		if o.GetKind() != "CustomResourceDefinition" {
			continue
		}
		group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
		versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
		for _, v := range versions {
			if fields, ok := v.(map[string]any); ok && fields["served"] == true {
				paths[fmt.Sprintf("apis/%s/%s", group, fields["name"])] = true
			}
		}
	}
	return paths
}
