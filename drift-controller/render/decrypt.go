// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"filippo.io/age"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
	"github.com/holdfast-gitops/holdfast/drift-controller/sops"
)

// decryptionFrom checks what the spec asks for.
func decryptionFrom(spec v1alpha1.Decryption, keys []string) (*Decryption, error) {
	switch {
	case spec.Provider != "sops":
		return nil, halt.Stalledf(contract.NotOfferedReason, "render.decryption.provider %s is not offered: sops is", spec.Provider)
	case spec.SecretRef == nil:
		return nil, halt.Stalledf(contract.InvalidSpecReason,
			"render.decryption.secretRef is not set: name the Secret that holds the age key")
	case len(keys) == 0:
		return nil, halt.Stalledf(contract.BuildFailedReason, "render.decryption: Secret %s holds no age key: "+
			"store it under a key that ends in .agekey; keys of PGP and of cloud services are not offered", spec.SecretRef.Name)
	}
	return &Decryption{Keys: keys}, nil
}

// AgeKeys picks the age keys out of a Secret's data: the one that is named, or
// all that end in .agekey, as Flux has them.
func AgeKeys(data map[string]string, named string) []string {
	if named != "" {
		if key, there := data[named]; there {
			return []string{key}
		}
		return nil
	}
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(data)) {
		if strings.HasSuffix(name, ".agekey") {
			keys = append(keys, data[name])
		}
	}
	return keys
}

// vault opens the encrypted files of one render.
type vault struct {
	identities []age.Identity
	values     []string
	// closed are the files that could not be opened. That matters only if the
	// render uses them: a folder may hold those of another environment.
	closed map[string]error
}

// decrypt has every file that is read from now on pass through the vault.
func (j *job) decrypt() error {
	if j.options.Decryption == nil {
		return nil
	}
	identities, err := sops.Identities(j.options.Decryption.Keys)
	if err != nil {
		return err
	}
	j.vault = &vault{identities: identities, closed: map[string]error{}}
	for _, t := range []*tree.Tree{j.tree, j.values} {
		if t != nil {
			t.Decoding(j.vault.decode)
		}
	}
	return nil
}

func (v *vault) decode(name string, data []byte) ([]byte, error) {
	file, is, err := sops.Decrypt(name, data, v.identities)
	switch {
	case !is:
		return data, nil
	case err != nil:
		v.closed[name] = err
		return data, nil
	}
	for _, value := range file.Opened {
		v.values = append(v.values, value)
		// In data of a Secret the value is one more encoding away.
		if plain, err := base64.StdEncoding.DecodeString(value); err == nil && utf8.Valid(plain) {
			v.values = append(v.values, string(plain))
		}
	}
	return file.Plain, nil
}

// opened are the values that were encrypted, for what has to hide them.
func (v *vault) opened() []string {
	if v == nil {
		return nil
	}
	slices.Sort(v.values)
	v.values = slices.Compact(v.values)
	return v.values
}

// cipherText stands in every value that SOPS encrypts.
const cipherText = "ENC[AES256_GCM,"

// left says why something encrypted is left within the render: to apply it
// would put ciphertext where a password belongs. An object that is encrypted
// itself is set aside, and does not keep the others from being compared.
func (v *vault) left(objects []manifest.Object) error {
	if v == nil || len(v.closed) == 0 {
		return nil
	}
	for _, o := range objects {
		if _, whole := o.Object["sops"]; !whole && holdsCipherText(o.Object) {
			return v.closed[slices.Sorted(maps.Keys(v.closed))[0]]
		}
	}
	return nil
}

// explain adds to objects that are set aside why they were not decrypted.
func (v *vault) explain(aside []Unjudged) {
	if v == nil {
		return
	}
	for i := range aside {
		if err := v.closed[aside[i].Source.File]; err != nil {
			aside[i].Reason += ": " + err.Error()
		}
	}
}

func holdsCipherText(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			if holdsCipherText(item) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, holdsCipherText)
	case string:
		if strings.Contains(v, cipherText) {
			return true
		}
		plain, err := base64.StdEncoding.DecodeString(v)
		return err == nil && strings.Contains(string(plain), cipherText)
	}
	return false
}
