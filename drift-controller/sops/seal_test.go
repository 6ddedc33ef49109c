// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"go.yaml.in/yaml/v3"
)

// sealer encrypts as SOPS does, so that a test can make any file and break it.
type sealer struct {
	key           []byte
	sum           []byte
	onlyEncrypted bool
}

const modified = "2026-11-30T12:00:00Z"

func newSealer(t *testing.T) *sealer {
	t.Helper()
	s := &sealer{key: make([]byte, 32)}
	if _, err := rand.Read(s.key); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *sealer) value(t *testing.T, plain, kind, additional string) string {
	t.Helper()
	block, err := aes.NewCipher(s.key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, 32)
	if err != nil {
		t.Fatal(err)
	}
	iv := make([]byte, 32)
	if _, err := rand.Read(iv); err != nil {
		t.Fatal(err)
	}
	out := gcm.Seal(nil, iv, []byte(plain), []byte(additional))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("ENC[AES256_GCM,data:%s,iv:%s,tag:%s,type:%s]", b64(out[:len(out)-16]), b64(iv), b64(out[len(out)-16:]), kind)
}

var kinds = map[string]string{"!!str": "str", "!!int": "int", "!!float": "float", "!!bool": "bool"}

// walk encrypts the values below the keys that chosen accepts.
func (s *sealer) walk(t *testing.T, n *yaml.Node, path []string, chosen func([]string) bool) {
	t.Helper()
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.walk(t, n.Content[i+1], append(path[:len(path):len(path)], n.Content[i].Value), chosen)
		}
	case yaml.SequenceNode, yaml.DocumentNode:
		for _, item := range n.Content {
			s.walk(t, item, path, chosen)
		}
	case yaml.ScalarNode:
		plain := n.Value
		if n.Tag == "!!bool" {
			plain = strings.ToUpper(plain[:1]) + plain[1:]
		}
		hides := chosen(path)
		if n.Tag != "!!null" && (hides || !s.onlyEncrypted) {
			s.sum = append(s.sum, plain...)
		}
		if hides && n.Tag != "!!null" && plain != "" {
			n.SetString(s.value(t, plain, kinds[n.Tag], strings.Join(path, ":")+":"))
		}
	}
}

func (s *sealer) mac(t *testing.T) string {
	t.Helper()
	sum := sha512.Sum512(s.sum)
	return s.value(t, strings.ToUpper(hex.EncodeToString(sum[:])), "str", modified)
}

func (s *sealer) recipients(t *testing.T, to ...*age.X25519Identity) []map[string]string {
	t.Helper()
	var all []map[string]string
	for _, id := range to {
		var out bytes.Buffer
		armored := armor.NewWriter(&out)
		w, err := age.Encrypt(armored, id.Recipient())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(s.key); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := armored.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, map[string]string{"recipient": id.Recipient().String(), "enc": out.String()})
	}
	return all
}

// seal encrypts every value of a file of one or more documents.
func seal(t *testing.T, plain string, to ...*age.X25519Identity) string {
	t.Helper()
	return sealWith(t, plain, newSealer(t), nil, to...)
}

func sealWith(t *testing.T, plain string, s *sealer, further map[string]any, to ...*age.X25519Identity) string {
	t.Helper()
	chosen := func(path []string) bool {
		return !s.onlyEncrypted || path[0] == "data" || path[0] == "stringData"
	}
	if s.onlyEncrypted {
		start, err := hex.DecodeString("8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69")
		if err != nil {
			t.Fatal(err)
		}
		s.sum = start
	}
	var documents []*yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(plain))
	for {
		document := &yaml.Node{}
		if decoder.Decode(document) != nil {
			break
		}
		s.walk(t, document, nil, chosen)
		documents = append(documents, document)
	}
	meta := map[string]any{"age": s.recipients(t, to...), "lastmodified": modified, "mac": s.mac(t), "version": "3.13.2"}
	if s.onlyEncrypted {
		meta["mac_only_encrypted"] = true
	}
	for name, value := range further {
		meta[name] = value
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	for _, document := range documents {
		key, value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "sops"}, &yaml.Node{}
		if err := value.Encode(meta); err != nil {
			t.Fatal(err)
		}
		document.Content[0].Content = append(document.Content[0].Content, key, value)
		if err := encoder.Encode(document); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
