// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"strings"
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// Line is what one row showed.
type Line struct {
	Row string
	// Status is what the operator wrote; Differs what was expected of it.
	Status, Differs string
	State, Want     secretsv1.DeliveryState
}

// Right says whether operator and rules did what was expected.
func (l Line) Right() bool { return l.Differs == "" && l.State == l.Want }

// String is the line for a person.
func (l Line) String() string {
	word := "right"
	if !l.Right() {
		word = "wrong"
	}
	text := fmt.Sprintf("%s  %-20s  %-12s  %s", word, l.Row, l.State, l.Status)
	if l.State != l.Want {
		text += fmt.Sprintf("; want %s", l.Want)
	}
	if l.Differs != "" {
		text += "; " + l.Differs
	}
	return text
}

// longAfter is when an ExternalSecret without a status is nobody's.
const longAfter = 10 * time.Minute

// judge runs the rules over what is declared and what is live.
func (p player) judge(ctx context.Context, ns string, r row, text string) (Line, error) {
	have, err := p.look(ctx, ns)
	if err != nil {
		return Line{}, err
	}
	es, target, err := p.live(ctx, ns)
	if err != nil {
		return Line{}, err
	}
	declared, err := declaration.Parse(r.name, []byte(text))
	if err != nil {
		return Line{}, err
	}
	in := rule.Input{
		Declared: declaration.Read(declared, declaration.Options{Namespace: ns}),
		Scope:    rule.Scope{Now: time.Now(), NoStatusAfter: longAfter},
		Live: rule.Live{
			ExternalSecrets: rule.Seen[declaration.ExternalSecretState]{
				Known: true, Items: []declaration.ExternalSecretState{declaration.ReadExternalSecretState(declaration.NewObject(es.Object))},
			},
			Stores:  rule.Seen[declaration.StoreState]{Known: true},
			Secrets: rule.Seen[declaration.SecretState]{Known: true},
		},
	}
	if have.ready == no {
		in.Scope.Now = in.Scope.Now.Add(2 * longAfter)
	}
	if target != nil {
		in.Live.Secrets.Items = append(in.Live.Secrets.Items, declaration.NewSecretState(target))
	}
	line := Line{Row: r.name, Status: have.String(), Differs: have.differs(r.seen), Want: r.want}
	if r.or != nil && line.Differs != "" && have.differs(r.or.seen) == "" {
		line.Differs, line.Want = "", r.or.want
	}
	for _, d := range rule.Deliveries(in) {
		line.State = d.State
	}
	return line, nil
}

// String is a status in a line. The message is the operator's own and is told
// only where it was asked after.
func (s seen) String() string {
	return fmt.Sprintf("Ready=%s %s, generation synced: %s, Secret there: %s", s.ready, s.reason, s.synced, s.secret)
}

func (s seen) differs(want seen) string {
	for _, field := range []struct{ name, have, want string }{
		{"Ready", s.ready, want.ready}, {"reason", s.reason, want.reason},
		{"generation synced", s.synced, want.synced}, {"Secret there", s.secret, want.secret},
	} {
		if field.want != "" && field.have != field.want {
			return fmt.Sprintf("want %s %s, have %s", field.name, field.want, field.have)
		}
	}
	if !strings.Contains(strings.ToLower(s.message), want.message) {
		return fmt.Sprintf("want a message with %q", want.message)
	}
	return ""
}

func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
