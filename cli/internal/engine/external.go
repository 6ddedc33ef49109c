// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// Content reads the data of a ConfigMap or Secret of the Application's
// namespace; found is false where there is none.
type Content func(ctx context.Context, kind, name string) (data map[string][]byte, found bool, err error)

// ReadExternal reads what spec.render refers to, with the user's own rights.
func ReadExternal(ctx context.Context, spec *v1alpha1.Render, read Content) (render.External, error) {
	var out render.External
	if spec == nil {
		return out, nil
	}
	var err error
	if spec.Helm != nil {
		if out.Layers, err = layers(ctx, spec.Helm.ValuesFrom, read); err != nil {
			return out, err
		}
	}
	if spec.Substitute != nil {
		if out.Variables, err = variables(ctx, spec.Substitute.From, read); err != nil {
			return out, err
		}
	}
	if spec.Decryption != nil && spec.Decryption.SecretRef != nil {
		out.Keys, err = ageKeys(ctx, *spec.Decryption.SecretRef, read)
	}
	return out, err
}

// ageKeys reads the keys of decryption: with the user's own rights, so that
// who may not read them sees why nothing could be rendered.
func ageKeys(ctx context.Context, ref v1alpha1.SecretKeyReference, read Content) ([]string, error) {
	data, found, err := read(ctx, "Secret", ref.Name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("render.decryption.secretRef: %w", err)
	case !found:
		return nil, fmt.Errorf("render.decryption.secretRef: there is no Secret %s: create it with the age key", ref.Name)
	}
	texts := make(map[string]string, len(data))
	for name, value := range data {
		texts[name] = string(value)
	}
	return render.AgeKeys(texts, ref.Key), nil
}

func layers(ctx context.Context, refs []v1alpha1.ValuesReference, read Content) ([]render.Layer, error) {
	var all []render.Layer
	for _, ref := range refs {
		layer, found, err := layerOf(ctx, ref, read)
		if err != nil {
			return nil, err
		}
		if found {
			all = append(all, layer)
		}
	}
	return all, nil
}

// variables reads substitute.from; later ones win, and with the value goes
// whether it is a secret.
func variables(ctx context.Context, refs []v1alpha1.SubstituteReference, read Content) (render.Variables, error) {
	v := render.Variables{Values: map[string]string{}, Tainted: map[string]bool{}}
	for _, ref := range refs {
		data, found, err := read(ctx, ref.Kind, ref.Name)
		switch {
		case err != nil:
			return v, fmt.Errorf("render.substitute.from: %w", err)
		case !found && !ref.Optional:
			return v, fmt.Errorf("render.substitute.from: there is no %s %s: create it, or mark it optional", ref.Kind, ref.Name)
		}
		for name, value := range data {
			v.Values[name] = string(value)
			delete(v.Tainted, name)
			if ref.Kind == "Secret" {
				v.Tainted[name] = true
			}
		}
	}
	return v, nil
}

// layerOf reads one entry of valuesFrom.
func layerOf(ctx context.Context, ref v1alpha1.ValuesReference, read Content) (render.Layer, bool, error) {
	key := ref.ValuesKey
	if key == "" {
		key = "values.yaml"
	}
	data, found, err := read(ctx, ref.Kind, ref.Name)
	if err != nil {
		return render.Layer{}, false, fmt.Errorf("render.helm.valuesFrom: %w", err)
	}
	values, has := data[key]
	if !found || !has {
		if ref.Optional {
			return render.Layer{}, false, nil
		}
		return render.Layer{}, false, fmt.Errorf(
			"render.helm.valuesFrom: there is no %s %s with key %s: create it, or mark it optional", ref.Kind, ref.Name, key)
	}
	return render.Layer{
		Name:   fmt.Sprintf("%s %s, key %s", ref.Kind, ref.Name, key),
		Values: values, TargetPath: ref.TargetPath, Tainted: ref.Kind == "Secret",
	}, true, nil
}
