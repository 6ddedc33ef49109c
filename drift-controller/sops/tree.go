// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"filippo.io/age"
	"go.yaml.in/yaml/v3"
)

func decryptYAML(name string, raw []byte, identities []age.Identity) (File, bool, error) {
	documents, opened, err := decryptTree(name, raw, identities)
	if err != nil || documents == nil {
		return File{}, err != nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	for _, document := range documents {
		if err := encoder.Encode(document); err != nil {
			return File{}, true, fault(ErrDamaged, name, "it cannot be written as YAML once it is decrypted")
		}
	}
	if err := encoder.Close(); err != nil {
		return File{}, true, fault(ErrDamaged, name, "it cannot be written as YAML once it is decrypted")
	}
	return File{Plain: out.Bytes(), Opened: opened}, true, nil
}

func decryptJSON(name string, raw []byte, identities []age.Identity) (File, bool, error) {
	documents, opened, err := decryptTree(name, raw, identities)
	if err != nil || documents == nil {
		return File{}, err != nil, err
	}
	var content any
	if documents[0].Decode(&content) != nil {
		return File{}, true, fault(ErrDamaged, name, "it is no JSON once it is decrypted")
	}
	plain, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return File{}, true, fault(ErrDamaged, name, "it is no JSON once it is decrypted")
	}
	return File{Plain: plain, Opened: opened}, true, nil
}

// decryptBinary opens what SOPS put whole into the field data.
func decryptBinary(name string, raw []byte, identities []age.Identity) (File, bool, error) {
	documents, opened, err := decryptTree(name, raw, identities)
	if err != nil || documents == nil {
		return File{}, err != nil, err
	}
	var content struct {
		Data *string `yaml:"data"`
	}
	if documents[0].Decode(&content) != nil || content.Data == nil {
		return File{}, true, fault(ErrDamaged, name, "it is encrypted as a binary file and has no data")
	}
	return File{Plain: []byte(*content.Data), Opened: opened}, true, nil
}

// decryptTree reads YAML, of which JSON is a part. Documents are nil if SOPS
// did not encrypt the file.
func decryptTree(name string, raw []byte, identities []age.Identity) ([]*yaml.Node, []string, error) {
	documents, ok := parse(raw)
	if !ok {
		return nil, nil, nil // broken in its own way: the renderer says where
	}
	var meta metadata
	found := false
	for _, document := range documents {
		if m, is := readMetadata(document.Content[0]); is && !found {
			meta, found = m, true
		}
	}
	if !found {
		return nil, nil, nil
	}
	key, err := meta.key(name, identities)
	if err != nil {
		return nil, nil, err
	}
	o, ok := newOpener(key, meta.MACOnlyEncrypted)
	if !ok {
		return nil, nil, fault(ErrDamaged, name, "its key is none for AES: encrypt it anew")
	}
	for _, document := range documents {
		if err := o.walk(name, document.Content[0], nil, depth); err != nil {
			return nil, nil, err
		}
	}
	if !o.verify(meta) {
		return nil, nil, fault(ErrDamaged, name, "its message authentication code does not match: it was edited without sops, or is incomplete; "+
			"encrypt it anew")
	}
	return documents, o.opened, nil
}

func parse(raw []byte) ([]*yaml.Node, bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	var documents []*yaml.Node
	for {
		document := &yaml.Node{}
		err := decoder.Decode(document)
		if errors.Is(err, io.EOF) {
			return documents, len(documents) > 0
		}
		if err != nil {
			return nil, false
		}
		if len(document.Content) > 0 {
			documents = append(documents, document)
		}
	}
}

// depth bounds how deep a file may nest.
const depth = 200

// walk opens every value, in the order of the file: the sum depends on it.
// Items of a list have the path of the list.
func (o *opener) walk(file string, n *yaml.Node, path []string, left int) error {
	if left == 0 {
		return fault(ErrDamaged, file, "line %d: it nests too deep", n.Line)
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if err := o.walk(file, n.Content[i+1], append(path[:len(path):len(path)], n.Content[i].Value), left-1); err != nil {
				return err
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := o.walk(file, item, path, left-1); err != nil {
				return err
			}
		}
		n.Content = slices.DeleteFunc(n.Content, func(item *yaml.Node) bool { return item.Kind == 0 })
	case yaml.ScalarNode:
		return o.scalar(file, n, path)
	case yaml.AliasNode:
		// SOPS never writes one: it was put in by hand.
		return fault(ErrDamaged, file, "line %d: an alias in an encrypted file: encrypt it anew", n.Line)
	}
	return nil
}

func (o *opener) scalar(file string, n *yaml.Node, path []string) error {
	plain, ok := counted(n)
	if !ok {
		return nil // null is neither encrypted nor summed up
	}
	value, kind, ok := o.leaf(n.Value, plain, path)
	if !ok {
		return fault(ErrDamaged, file, "line %d: the value does not decrypt: it was edited, or moved from another key", n.Line)
	}
	switch kind {
	case "":
	case comment:
		n.Kind = 0 // a comment between the items of a list became an item: it is none
	case "int":
		n.Value, n.Tag, n.Style = value, "!!int", 0
	case "float":
		n.Value, n.Tag, n.Style = value, "!!float", 0
	case "bool":
		n.Value, n.Tag, n.Style = map[bool]string{true: "true", false: "false"}[value == "True"], "!!bool", 0
	case "time":
		n.Value, n.Tag, n.Style = value, "!!timestamp", 0
	default:
		n.SetString(value)
		n.Style &^= yaml.FoldedStyle | yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	}
	return nil
}

// counted is how a value in the clear counts in the sum.
func counted(n *yaml.Node) (string, bool) {
	var value any
	if n.Decode(&value) != nil {
		return n.Value, true
	}
	switch v := value.(type) {
	case nil:
		return "", false
	case bool:
		return map[bool]string{true: "True", false: "False"}[v], true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case time.Time:
		text, err := v.MarshalText()
		return string(text), err == nil
	case string:
		return v, true
	}
	return n.Value, true
}
