// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Media types of Docker, which came before the ones of OCI.
const (
	dockerManifest = "application/vnd.docker.distribution.manifest.v2+json"
	dockerList     = "application/vnd.docker.distribution.manifest.list.v2+json"
)

// An index that lists an image for several platforms means this one, as with
// Flux's library.
const (
	defaultOS           = "linux"
	defaultArchitecture = "amd64"
)

// unknownSize is the size of a manifest that was not asked for yet.
const unknownSize = -1

// attestation marks an entry of an index that only tells about another.
const attestation = "vnd.docker.reference.type"

// Manifest is what an artifact consists of.
type Manifest struct {
	Annotations map[string]string
	Layers      []ocispec.Descriptor
}

// Manifest reads the manifest that a descriptor names. An index leads to the
// one manifest in it that can be meant.
func (r *Repository) Manifest(ctx context.Context, descriptor ocispec.Descriptor) (Manifest, error) {
	if descriptor.Size == unknownSize {
		var err error
		if descriptor, err = r.Resolve(ctx, descriptor.Digest.String()); err != nil {
			return Manifest{}, err
		}
	}
	const depth = 3
	for range depth {
		raw, err := r.Document(ctx, descriptor)
		if err != nil {
			return Manifest{}, err
		}
		var parsed struct {
			MediaType   string               `json:"mediaType"`
			Annotations map[string]string    `json:"annotations"`
			Layers      []ocispec.Descriptor `json:"layers"`
			Manifests   []ocispec.Descriptor `json:"manifests"`
		}
		if err := json.Unmarshal(raw, &parsed); err != nil {
			return Manifest{}, r.remote.fault(Rubbish, fmt.Sprintf("the manifest %s of %s is no JSON", descriptor.Digest, r.Name()))
		}
		switch kind := either(parsed.MediaType, descriptor.MediaType); kind {
		case ocispec.MediaTypeImageManifest, dockerManifest:
			return Manifest{Annotations: parsed.Annotations, Layers: parsed.Layers}, nil
		case ocispec.MediaTypeImageIndex, dockerList:
			if descriptor, err = r.pick(descriptor, parsed.Manifests); err != nil {
				return Manifest{}, err
			}
		default:
			return Manifest{}, r.remote.fault(Unsupported, fmt.Sprintf("%s of %s is of media type %q; image manifests and indexes are read", descriptor.Digest, r.Name(), kind))
		}
	}
	return Manifest{}, r.remote.fault(Unsupported, fmt.Sprintf("%s nests indexes more than %d deep", r.Name(), depth))
}

func either(stated, served string) string {
	if stated != "" {
		return stated
	}
	return served
}

// pick finds the manifest of an index that is meant: the only one, or that for
// the default platform.
func (r *Repository) pick(index ocispec.Descriptor, manifests []ocispec.Descriptor) (ocispec.Descriptor, error) {
	content := slices.DeleteFunc(slices.Clone(manifests), func(m ocispec.Descriptor) bool { return m.Annotations[attestation] != "" })
	if len(content) == 1 {
		return content[0], nil
	}
	var names []string
	for _, m := range content {
		if m.Platform == nil {
			names = append(names, "none")
			continue
		}
		if m.Platform.OS == defaultOS && m.Platform.Architecture == defaultArchitecture {
			return m, nil
		}
		names = append(names, m.Platform.OS+"/"+m.Platform.Architecture)
	}
	return ocispec.Descriptor{}, r.remote.fault(Unsupported, fmt.Sprintf(
		"the index %s of %s has %d manifests and none for %s/%s (platforms: %s); name the one that is meant by spec.ref.digest",
		index.Digest, r.Name(), len(content), defaultOS, defaultArchitecture, strings.Join(names, ", ")))
}

// Layer finds the layer of a media type, or the first one where none is given.
func (r *Repository) Layer(m Manifest, mediaType string) (ocispec.Descriptor, error) {
	if len(m.Layers) == 0 {
		return ocispec.Descriptor{}, r.remote.fault(Unsupported, "no layers found in artifact: "+r.Name())
	}
	if mediaType == "" {
		return m.Layers[0], nil
	}
	var seen []string
	for _, layer := range m.Layers {
		if layer.MediaType == mediaType {
			return layer, nil
		}
		seen = append(seen, layer.MediaType)
	}
	return ocispec.Descriptor{}, r.remote.fault(Unsupported, fmt.Sprintf(
		"failed to find layer with media type '%s' in artifact: %s has %s", mediaType, r.Name(), strings.Join(seen, ", ")))
}

// ByDigest is a manifest of which only the digest is known. Its size follows
// when it is read.
func ByDigest(digestText string) ocispec.Descriptor {
	return ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: digest.Digest(digestText), Size: unknownSize}
}
