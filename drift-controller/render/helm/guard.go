// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/Masterminds/sprig/v3"
)

const (
	// maxSteps bounds the passes through loops and named templates of one run.
	maxSteps = 1_000_000
	// maxRepeat bounds what one call of a function may make.
	maxRepeat = 1 << 20
	tick      = "holdfastTick"
)

var errTooLong = errors.New("the templates take more steps than are allowed: is there an endless loop?")

// guard keeps one run of the templates in bounds. Only the goroutine of the
// run touches it until the run is over. It is a seat belt against accidents
// and simple bombs; against a chart that means to exhaust memory only a
// process of its own would be proof.
type guard struct {
	ctx    context.Context
	steps  int
	looked bool
	fault  error
}

func (g *guard) tick() (string, error) {
	g.steps++
	switch {
	case g.steps > maxSteps:
		g.fault = errTooLong
	case g.ctx.Err() != nil:
		g.fault = g.ctx.Err()
	}
	return "", g.fault
}

// functions replace or add to those of Helm.
func (g *guard) functions(now time.Time) template.FuncMap {
	sprigs := sprig.TxtFuncMap()
	until := sprigs["untilStep"].(func(int, int, int) []int)
	return template.FuncMap{
		tick:  g.tick,
		"now": func() time.Time { return now },
		"lookup": func(string, string, string, string) map[string]any {
			g.looked = true
			return map[string]any{}
		},
		"until": func(count int) ([]int, error) {
			if err := g.within("until", count); err != nil {
				return nil, err
			}
			return until(0, count, sign(count)), nil
		},
		"untilStep": func(start, stop, step int) ([]int, error) {
			if err := g.within("untilStep", (stop-start)/max(1, step, -step)); err != nil {
				return nil, err
			}
			return until(start, stop, step), nil
		},
		"repeat": func(count int, text string) (string, error) {
			if err := g.within("repeat", count*max(1, len(text))); err != nil {
				return "", err
			}
			return strings.Repeat(text, max(0, count)), nil
		},
	}
}

func sign(count int) int {
	if count < 0 {
		return -1
	}
	return 1
}

func (g *guard) within(function string, count int) error {
	if max(count, -count) <= maxRepeat {
		return nil
	}
	g.fault = fmt.Errorf("the function %s is asked for %d items, more than the limit of %d", function, count, maxRepeat)
	return g.fault
}

// insertTicks puts a call of tick at the head of every loop and named
// template. The call prints nothing and stands in no line of its own, so
// neither the output nor the lines in errors change. Text that does not parse
// is left alone: the engine will say what is wrong with it.
func insertTicks(name string, text []byte) []byte {
	parser := parse.New(name)
	parser.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := parser.Parse(string(text), "", "", trees); err != nil {
		return text
	}
	var heads []int
	for _, tree := range trees {
		if tree.Root == nil {
			continue
		}
		heads = append(heads, int(tree.Root.Position()))
		heads = appendLoops(heads, tree.Root)
	}
	slices.Sort(heads)
	var out strings.Builder
	last := 0
	for _, head := range slices.Compact(heads) {
		out.Write(text[last:head])
		out.WriteString(call(string(text[head:])))
		last = head
	}
	out.Write(text[last:])
	return []byte(out.String())
}

// call trims the space before it where the action that it stands before does.
func call(rest string) string {
	if strings.HasPrefix(rest, "{{- ") || strings.HasPrefix(rest, "{{-\n") || strings.HasPrefix(rest, "{{-\t") {
		return "{{- " + tick + " }}"
	}
	return "{{ " + tick + " }}"
}

func appendLoops(heads []int, list *parse.ListNode) []int {
	if list == nil {
		return heads
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.RangeNode:
			heads = append(heads, int(n.List.Position()))
			heads = appendLoops(appendLoops(heads, n.List), n.ElseList)
		case *parse.IfNode:
			heads = appendLoops(appendLoops(heads, n.List), n.ElseList)
		case *parse.WithNode:
			heads = appendLoops(appendLoops(heads, n.List), n.ElseList)
		}
	}
	return heads
}
