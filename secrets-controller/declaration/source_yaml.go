// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// pairs gives the fields of a mapping in their order.
func pairs(n *yaml.Node) [][2]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var out [][2]*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, [2]*yaml.Node{n.Content[i], n.Content[i+1]})
	}
	return out
}

func field(n *yaml.Node, name string) *yaml.Node {
	for _, pair := range pairs(n) {
		if pair[0].Value == name {
			return pair[1]
		}
	}
	return &yaml.Node{}
}

// values notes the scalars of a values file whose names announce a secret.
func (s *Source) values(file string, keys []string, n *yaml.Node) {
	for _, pair := range pairs(n) {
		below := append(keys[:len(keys):len(keys)], pair[0].Value)
		if pair[1].Kind != yaml.ScalarNode {
			s.values(file, below, pair[1])
			continue
		}
		if shape.Tells(pair[0].Value, pair[1].Value) && named(PlaceHelm, pair[0].Value) {
			s.Values = append(s.Values, SourceValue{SourceLine: SourceLine{file, pair[1].Line}, Keys: below, Tells: true})
		}
	}
	for _, item := range n.Content {
		if n.Kind == yaml.SequenceNode {
			s.values(file, keys, item)
		}
	}
}

func (s *Source) kustomization(file string, n *yaml.Node) {
	if prefix := field(n, "namePrefix").Value; prefix != "" {
		s.Prefixes = append(s.Prefixes, prefix)
	}
	if suffix := field(n, "nameSuffix").Value; suffix != "" {
		s.Suffixes = append(s.Suffixes, suffix)
	}
	for _, generator := range field(n, "secretGenerator").Content {
		name := field(generator, "name").Value
		for _, list := range []string{"literals", "files", "envs"} {
			for _, item := range field(generator, list).Content {
				key, _, _ := strings.Cut(item.Value, "=")
				s.Generated = append(s.Generated, GeneratedSecret{SourceLine: SourceLine{file, item.Line}, Generator: name, Key: key})
			}
		}
	}
}

// raw looks at every scalar of a file.
func (s *Source) raw(file string, n *yaml.Node) {
	for _, pair := range pairs(n) {
		if pair[1].Kind != yaml.ScalarNode {
			s.raw(file, pair[1])
			continue
		}
		hits := found(pair[1].Value)
		telling := slices.ContainsFunc(hits, func(hit string) bool { return !slices.Contains(namedOnly, hit) })
		if telling || shape.Tells(pair[0].Value, pair[1].Value) {
			s.Raw = append(s.Raw, RawValue{SourceLine: SourceLine{file, pair[1].Line}, Name: pair[0].Value, Hits: hits})
		}
	}
	for _, item := range n.Content {
		if n.Kind == yaml.SequenceNode || n.Kind == yaml.DocumentNode {
			s.raw(file, item)
		}
	}
}
