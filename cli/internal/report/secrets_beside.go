// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// deliveries shows what became of each ExternalSecret. Those that are delivered
// are counted; the others have a line each.
func (r Secrets) deliveries(p *screen.Page) {
	if len(r.Deliveries) == 0 {
		return
	}
	open := slices.DeleteFunc(slices.Clone(r.Deliveries), func(d secretsv1.Delivery) bool {
		return d.State == secretsv1.DeliveryDelivered
	})
	p.Blank()
	p.Line(0, screen.Bold("Deliveries"), screen.Plain(fmt.Sprintf("   %d of %d delivered", len(r.Deliveries)-len(open), len(r.Deliveries))))
	usual := home(r.Application)
	for _, d := range open {
		o := v1alpha1.ObjectReference{Kind: d.Object.Kind, Namespace: d.Object.Namespace, Name: d.Object.Name}
		p.Labelled(objectIndent, sideColumn, screen.Plain(objectName(o, usual)), deliverySpan(d.State))
		text := d.Message
		if d.Time != nil {
			text = strings.TrimSpace(text + " (last refresh " + since(d.Time.Time, r.Now) + " ago)")
		}
		p.Prose(pathIndent, 2, screen.Plain(text))
	}
}

// deliverySpan is red where a consumer meets no Secret, or not all of it.
func deliverySpan(state secretsv1.DeliveryState) screen.Span {
	switch state {
	case secretsv1.DeliveryPartial, secretsv1.DeliveryMissing, secretsv1.DeliveryFailed:
		return screen.Red(string(state))
	case secretsv1.DeliveryDelivered:
		return screen.Green(string(state))
	case secretsv1.DeliveryNotCreated:
		return screen.Plain(string(state))
	case secretsv1.DeliveryKeptOld, secretsv1.DeliveryStale, secretsv1.DeliveryNoController, secretsv1.DeliveryUnknown:
	}
	return screen.Yellow(string(state))
}

// restorability shows whether the workloads could come up on an empty cluster,
// and what keeps them from it.
func (r Secrets) restorability(p *screen.Page) {
	if r.Status.Restorability == nil {
		return
	}
	p.Blank()
	p.Line(0, screen.Bold("From Git alone"), screen.Plain("   "), restorableSpan(r.Status.Restorability.Verdict))
	for _, n := range r.Status.Restorability.Namespaces {
		if n.Verdict == secretsv1.Restorable {
			continue
		}
		name := "namespace " + n.Namespace
		if n.Namespace == "" {
			name = "cluster-scoped"
		}
		p.Labelled(objectIndent, sideColumn, screen.Plain(name), restorableSpan(n.Verdict))
		edges(p, "missing", n.Missing)
		edges(p, "unknown", n.Unknown)
		edges(p, "root", n.Roots)
		if n.More > 0 {
			p.Line(pathIndent, screen.Plain(fmt.Sprintf("and %d more", n.More)))
		}
	}
}

func edges(p *screen.Page, what string, all []string) {
	for _, edge := range all {
		p.Prose(pathIndent, 2, screen.Plain(what+": "+edge))
	}
}

func restorableSpan(v secretsv1.RestorabilityVerdict) screen.Span {
	switch v {
	case secretsv1.Restorable, secretsv1.RestorableWithRoots:
		return screen.Green(string(v))
	case secretsv1.NotRestorable:
		return screen.Red(string(v))
	case secretsv1.RestorabilityUnknown:
	}
	return screen.Yellow(string(v))
}
