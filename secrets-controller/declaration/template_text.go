// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/holdfast-gitops/holdfast/api/shape"
)

// TemplateText is what a template text does. The text itself is not kept: it
// may have a literal in it that should not be there.
type TemplateText struct {
	Key   string
	At    Pointer
	Shape Shape
	// Actions counts what is in braces; a text without any is a constant.
	Actions int
	// Broken: the template does not parse. Dashed are fields that Go reads as
	// a subtraction, the usual cause.
	Broken bool
	Dashed []string
	// Fields are keys of the data that the template reads by name.
	Fields []string
	// Nested are fields below a key, which a flat map of strings does not have.
	Nested []string
	// Unoffered and Volatile are functions: such as the operator has not, and
	// such as give another result each time.
	Unoffered, Volatile []string
	// Rebound: the dot means something else in parts of the template, so that
	// Fields may be incomplete.
	Rebound bool
	// Unquoted are keys put between the quotes of a JSON text as they are;
	// Unindented such as stand alone on a line of a YAML block.
	Unquoted, Unindented []string
	// Size is the length of the text.
	Size int
}

func readTemplateText(key string, n node) TemplateText {
	text := n.text()
	out := TemplateText{Key: key, At: n.at, Shape: shape.Of(text), Size: len(text)}
	if !strings.Contains(text, "{{") {
		return out
	}
	out.Unquoted = firstGroups(unquoted, text, isJSON(text))
	out.Unindented = firstGroups(unindented, text, true)
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	parsed, err := tree.Parse(text, "{{", "}}", trees)
	if err != nil {
		out.Broken = true
		out.Dashed = firstGroups(dashed, text, true)
		return out
	}
	walk := templateWalk{out: &out}
	walk.node(parsed.Root, true)
	for _, name := range sortedKeys(trees) {
		if trees[name] != parsed && trees[name].Root != nil {
			walk.node(trees[name].Root, false)
		}
	}
	return out
}

var (
	unquoted   = regexp.MustCompile(`"\{\{-?\s*\.(\w+)\s*-?\}\}"`)
	unindented = regexp.MustCompile(`(?m)[|>][+-]?[ \t]*\n[ \t]+\{\{-?\s*\.(\w+)\s*-?\}\}[ \t]*$`)
	dashed     = regexp.MustCompile(`\{\{[^}]*?\.(\w+(?:-\w+)+)`)
)

func isJSON(text string) bool {
	trimmed := strings.TrimSpace(text)
	return strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "{{") || strings.HasPrefix(trimmed, "[")
}

func firstGroups(expression *regexp.Regexp, text string, look bool) []string {
	var out []string
	if !look {
		return nil
	}
	for _, match := range expression.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(out, match[1]) {
			out = append(out, match[1])
		}
	}
	return out
}

// templateWalk collects from a parsed template. A field counts as a key only
// where the dot is the data: within range and with it is something else.
type templateWalk struct{ out *TemplateText }

func (w templateWalk) node(n parse.Node, root bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, child := range n.Nodes {
				w.node(child, root)
			}
		}
	case *parse.ActionNode:
		w.out.Actions++
		w.pipe(n.Pipe, root)
	case *parse.IfNode:
		w.branch(n.BranchNode, root, root)
	case *parse.RangeNode:
		w.branch(n.BranchNode, root, false)
	case *parse.WithNode:
		w.branch(n.BranchNode, root, false)
	case *parse.TemplateNode:
		w.out.Actions++
		w.pipe(n.Pipe, root)
	}
}

func (w templateWalk) branch(b parse.BranchNode, root, inner bool) {
	w.out.Actions++
	if !inner {
		w.out.Rebound = true
	}
	w.pipe(b.Pipe, root)
	w.node(b.List, inner)
	w.node(b.ElseList, root)
}

func (w templateWalk) pipe(p *parse.PipeNode, root bool) {
	if p == nil {
		return
	}
	for _, command := range p.Cmds {
		w.command(command, root)
	}
}

func (w templateWalk) command(c *parse.CommandNode, root bool) {
	for i, arg := range c.Args {
		if function, is := arg.(*parse.IdentifierNode); is && (i == 0 || c.Args[0] == arg) {
			w.function(function.Ident)
		}
		if name, is := arg.(*parse.StringNode); is && w.indexes(c, i, root) {
			w.field([]string{name.Text})
		}
		w.argument(arg, root)
	}
}

// argument reads what leads to a key of the data.
func (w templateWalk) argument(arg parse.Node, root bool) {
	switch arg := arg.(type) {
	case *parse.FieldNode:
		if root {
			w.field(arg.Ident)
		}
	case *parse.VariableNode:
		switch {
		case len(arg.Ident) < 2:
		case arg.Ident[0] == "$":
			w.field(arg.Ident[1:])
		default:
			w.out.Rebound = true // another name for the data, or for a part of it
		}
	case *parse.PipeNode:
		w.pipe(arg, root)
	case *parse.ChainNode:
		// A field of what a call gives: (fromJson .db).password reads db.
		w.argument(arg.Node, root)
	}
}

// indexes: index . "key", get . "key" and their like.
func (w templateWalk) indexes(c *parse.CommandNode, i int, root bool) bool {
	function, is := c.Args[0].(*parse.IdentifierNode)
	if !is || i != 2 || function.Ident != "index" && function.Ident != "get" {
		return false
	}
	switch dot := c.Args[1].(type) {
	case *parse.DotNode:
		return root
	case *parse.VariableNode:
		return len(dot.Ident) == 1 && dot.Ident[0] == "$"
	}
	return false
}

func (w templateWalk) field(path []string) {
	if !slices.Contains(w.out.Fields, path[0]) {
		w.out.Fields = append(w.out.Fields, path[0])
	}
	if len(path) > 1 {
		w.out.Nested = append(w.out.Nested, strings.Join(path, "."))
	}
}

func (w templateWalk) function(name string) {
	if !offered[name] && !slices.Contains(w.out.Unoffered, name) {
		w.out.Unoffered = append(w.out.Unoffered, name)
	}
	if volatile[name] && !slices.Contains(w.out.Volatile, name) {
		w.out.Volatile = append(w.out.Volatile, name)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
