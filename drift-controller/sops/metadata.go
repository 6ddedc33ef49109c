// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	"go.yaml.in/yaml/v3"
)

// metadata is what SOPS notes beside the values.
type metadata struct {
	Age              []recipient      `yaml:"age"`
	KeyGroups        []map[string]any `yaml:"key_groups"`
	Threshold        int              `yaml:"shamir_threshold"`
	MAC              string           `yaml:"mac"`
	LastModified     string           `yaml:"lastmodified"`
	MACOnlyEncrypted bool             `yaml:"mac_only_encrypted"`
	Others           map[string]any   `yaml:",inline"`
}

// recipient is the file's key, encrypted for one age key.
type recipient struct {
	Recipient string `yaml:"recipient"`
	Enc       string `yaml:"enc"`
}

// services are the ways to encrypt that are not age.
var services = []string{"pgp", "kms", "gcp_kms", "azure_kv", "hc_vault", "hckms"}

// readMetadata takes the metadata out of a mapping, if it has any.
func readMetadata(n *yaml.Node) (metadata, bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "sops" || n.Content[i+1].Kind != yaml.MappingNode {
			continue
		}
		var m metadata
		if n.Content[i+1].Decode(&m) != nil || m.MAC == "" {
			return metadata{}, false
		}
		n.Content = slices.Delete(n.Content, i, i+2)
		return m, true
	}
	return metadata{}, false
}

// most bounds the key of a file; it has 32 bytes.
const most = 64

// key opens the file's key with the first identity that can.
func (m metadata) key(file string, identities []age.Identity) ([]byte, error) {
	if len(m.KeyGroups) > 0 || m.Threshold > 1 {
		return nil, fault(ErrProvider, file, "its key is shared out between groups (key_groups), which is not offered: encrypt it for age keys alone")
	}
	if len(m.Age) == 0 {
		return nil, fault(ErrProvider, file, "it is encrypted for %s and for no age key: add one with sops updatekeys", m.others())
	}
	var names []string
	for _, r := range m.Age {
		names = append(names, r.Recipient)
		plain, err := age.Decrypt(armor.NewReader(strings.NewReader(r.Enc)), identities...)
		if err != nil {
			continue
		}
		key, err := io.ReadAll(io.LimitReader(plain, most))
		if err != nil || len(key) != 32 {
			return nil, fault(ErrDamaged, file, "its key for %s is broken: encrypt it anew", r.Recipient)
		}
		return key, nil
	}
	return nil, fault(ErrKey, file, "none of the keys opens it; it is encrypted for %s: add the key of one to the Secret that "+
		"render.decryption names, or add a recipient with sops updatekeys", strings.Join(names, ", "))
}

func (m metadata) others() string {
	var names []string
	for _, service := range services {
		if list, is := m.Others[service].([]any); is && len(list) > 0 {
			names = append(names, service)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " and ")
}

// Identities reads age keys, one a line; lines with # are comments.
func Identities(keys []string) ([]age.Identity, error) {
	var all []age.Identity
	for i, text := range keys {
		found, err := age.ParseIdentities(strings.NewReader(text))
		if err != nil {
			// The cause may quote the key.
			return nil, &Error{Kind: ErrIdentity, File: fmt.Sprintf("key %d", i+1),
				Message: "is no age identity: it has to hold lines that begin with AGE-SECRET-KEY-"}
		}
		all = append(all, found...)
	}
	return all, nil
}
