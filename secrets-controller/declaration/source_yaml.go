// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/pattern"
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

// values notes the scalars of a values file that look like secrets, by their
// name or by what they are.
func (s *Source) values(file string, keys []string, n *yaml.Node, options SourceOptions) {
	for _, pair := range pairs(n) {
		below := append(keys[:len(keys):len(keys)], pair[0].Value)
		if pair[1].Kind == yaml.ScalarNode {
			s.value(file, below, pair[1], options)
			continue
		}
		s.values(file, below, pair[1], options)
	}
	for _, item := range n.Content {
		switch {
		case n.Kind != yaml.SequenceNode:
		case item.Kind == yaml.ScalarNode:
			s.value(file, keys, item, options)
		default:
			s.values(file, keys, item, options)
		}
	}
}

func (s *Source) value(file string, keys []string, n *yaml.Node, options SourceOptions) {
	name := ""
	if len(keys) > 0 {
		name = keys[len(keys)-1]
	}
	value := SourceValue{
		SourceLine: SourceLine{file, n.Line}, Keys: keys, Hits: found(n.Value),
		Tells: shape.Tells(name, n.Value) && named(PlaceHelm, name),
	}
	if value.Tells || telling(value.Hits) {
		value.Evidence = Evidence(n.Value, options.EvidenceKey)
		s.Values = append(s.Values, value)
	}
}

// telling says whether a pattern was seen that means something under any name.
// Addresses of example hosts are how charts document themselves.
func telling(hits []string) bool {
	return slices.ContainsFunc(hits, func(hit string) bool { return hit != shape.URLExample && !slices.Contains(namedOnly, hit) })
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
		if telling(hits) || shape.Tells(pair[0].Value, pair[1].Value) {
			s.Raw = append(s.Raw, RawValue{SourceLine: SourceLine{file, pair[1].Line}, Name: pair[0].Value, Hits: hits})
		}
	}
	for _, item := range n.Content {
		if n.Kind == yaml.SequenceNode || n.Kind == yaml.DocumentNode {
			s.raw(file, item)
		}
	}
}

// rawFile looks at every value of a file that is in no rendered set.
func (s *Source) rawFile(file, text string) {
	documents := documentsOf(text)
	if len(documents) == 0 {
		s.rawText(file, text)
	}
	for _, document := range documents {
		s.raw(file, document)
	}
}

// rawText looks at a file that is no YAML: what patterns see in it, by lines.
func (s *Source) rawText(file, text string) {
	lines := map[int]RawValue{}
	for _, hit := range shape.Find(text, pattern.Scan) {
		if hit.End <= hit.Start || !telling([]string{hit.ID}) {
			continue
		}
		line := 1 + strings.Count(text[:hit.Start], "\n")
		at := lines[line]
		at.SourceLine, at.Name = SourceLine{file, line}, "the line"
		at.Hits = append(at.Hits, hit.ID)
		lines[line] = at
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		s.Raw = append(s.Raw, lines[line])
	}
}
