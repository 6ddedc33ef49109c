// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// words11 are the booleans that YAML 1.1 has and YAML 1.2 has not. kubectl and
// the API server's YAML reader still know them.
var words11 = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true,
	"n": false, "N": false, "no": false, "No": false, "NO": false, "off": false, "Off": false, "OFF": false,
}

func (c *converter) scalar(node *yaml.Node) (any, error) {
	tagged := node.Style&yaml.TaggedStyle != 0
	if node.Style&quoted != 0 && !tagged {
		return node.Value, nil
	}
	switch node.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return c.boolean(node)
	case "!!int":
		return c.integer(node)
	case "!!float":
		return c.float(node)
	case "!!binary":
		return c.binary(node)
	case "!!str":
		if word, known := words11[node.Value]; known && c.words11 && !tagged {
			return word, nil
		}
		return node.Value, nil
	case "!!timestamp":
		return c.date(node)
	case "!!merge", "!":
		return node.Value, nil
	default:
		return nil, c.fault(ErrSyntax, node, "tag %s has no meaning in a manifest", node.Tag)
	}
}

func (c *converter) boolean(node *yaml.Node) (any, error) {
	if word, known := words11[node.Value]; known {
		return word, nil
	}
	value, err := strconv.ParseBool(node.Value)
	if err != nil {
		return nil, c.fault(ErrSyntax, node, "tagged !!bool, but no boolean")
	}
	return value, nil
}

// integer keeps 64 bits exactly; what does not fit becomes a float, as in the
// API server's JSON reader.
func (c *converter) integer(node *yaml.Node) (any, error) {
	digits := strings.ReplaceAll(node.Value, "_", "")
	if value, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return value, nil
	}
	if value, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return float64(value), nil
	}
	return nil, c.fault(ErrSyntax, node, "tagged !!int, but no integer")
}

// float gives an integer for a whole number: kubectl sends YAML through JSON
// text, where 1e3 and 3.0 come out as 1000 and 3.
func (c *converter) float(node *yaml.Node) (any, error) {
	value, err := strconv.ParseFloat(strings.ReplaceAll(node.Value, "_", ""), 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return nil, c.fault(ErrSyntax, node, "a number that JSON cannot hold: quote it if it is text")
	}
	const exact = 1 << 53
	if value == math.Trunc(value) && math.Abs(value) <= exact {
		return int64(value), nil
	}
	return value, nil
}

// date keeps the text that is written: turned into a time and printed again it
// would be another one. kustomize does just that, and what it prints is what
// everybody who deploys with it has in the cluster.
func (c *converter) date(node *yaml.Node) (any, error) {
	var at time.Time
	if !c.datesAsTimes || node.Decode(&at) != nil {
		return node.Value, nil
	}
	text := at.Format(time.RFC3339Nano)
	if text != node.Value {
		c.notes = append(c.notes, fmt.Sprintf("kustomize turns the unquoted date %s into %s: quote it", node.Value, text))
	}
	return text, nil
}

func (c *converter) binary(node *yaml.Node) (any, error) {
	text, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(node.Value), ""))
	if err != nil {
		return nil, c.fault(ErrSyntax, node, "tagged !!binary, but no base64")
	}
	return string(text), nil
}

// key reads a mapping key as text. A word such as on becomes "true", as for
// kubectl; since that is hardly ever meant, it leaves a note.
func (c *converter) key(node *yaml.Node) (string, error) {
	if node.Kind == yaml.AliasNode {
		if !c.anchored[node.Alias] {
			return "", c.fault(ErrSyntax, node, "alias *%s names an anchor of another document", node.Value)
		}
		node = node.Alias
	}
	if node.Kind != yaml.ScalarNode {
		return "", c.fault(ErrSyntax, node,
			"a mapping key is not a scalar: is this a template that was not rendered?")
	}
	value, err := c.scalar(node)
	if err != nil {
		return "", err
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		if word := strconv.FormatBool(v); word != node.Value {
			c.notes = append(c.notes, fmt.Sprintf("the unquoted key %s is read as %q: quote it", node.Value, word))
		}
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	default:
		return "", c.fault(ErrSyntax, node, "a mapping key is null: quote it")
	}
}
