// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"slices"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// override puts the Application's wishes into the first kustomization. The
// rules are those of Flux, so that a team that moves sees no difference:
// namespace, prefix and suffix replace what is there, an image replaces the
// entry of the same name, patches and components come last.
func override(k *types.Kustomization, o v1alpha1.KustomizeRender) {
	setIf(&k.Namespace, o.Namespace)
	setIf(&k.NamePrefix, o.NamePrefix)
	setIf(&k.NameSuffix, o.NameSuffix)
	for _, image := range o.Images {
		k.Images = overrideImage(k.Images, image)
	}
	for _, patch := range o.Patches {
		k.Patches = append(k.Patches, types.Patch{Patch: patch.Patch, Target: selector(patch.Target)})
	}
	for _, component := range o.Components {
		if !slices.Contains(k.Components, component) {
			k.Components = append(k.Components, component)
		}
	}
	// Origins tell which file an object came from.
	if !slices.Contains(k.BuildMetadata, types.OriginAnnotations) {
		k.BuildMetadata = append(slices.Clone(k.BuildMetadata), types.OriginAnnotations)
	}
}

func setIf(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func overrideImage(images []types.Image, image v1alpha1.KustomizeImage) []types.Image {
	i := slices.IndexFunc(images, func(present types.Image) bool { return present.Name == image.Name })
	if i < 0 {
		return append(images, types.Image{
			Name: image.Name, NewName: image.NewName, NewTag: image.NewTag, Digest: image.Digest,
		})
	}
	setIf(&images[i].NewName, image.NewName)
	if image.NewTag != "" || image.Digest != "" {
		images[i].NewTag, images[i].Digest = image.NewTag, image.Digest
	}
	return images
}

func selector(target *v1alpha1.KustomizeTarget) *types.Selector {
	if target == nil {
		return nil
	}
	return &types.Selector{
		ResId: resid.ResId{
			Gvk:       resid.Gvk{Group: target.Group, Version: target.Version, Kind: target.Kind},
			Name:      target.Name,
			Namespace: target.Namespace,
		},
		LabelSelector:      target.LabelSelector,
		AnnotationSelector: target.AnnotationSelector,
	}
}
