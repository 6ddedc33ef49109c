// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Trace is the way from an object back to the commit that declares it.
type Trace struct {
	// Object as it was asked for; Live says that it is in the cluster.
	Object  string
	Live    bool
	Writers []metav1.ManagedFieldsEntry
	// Links are the Applications that declare or remember it.
	Links []TraceLink
	Now   time.Time
}

// TraceLink is one Application with its source.
type TraceLink struct {
	Application *v1alpha1.Application
	Entry       v1alpha1.InventoryEntry
	// Source is nil if it could not be read; Why says so.
	Source *TraceSource
	Why    string
}

// TraceSource is where the manifests come from.
type TraceSource struct {
	Kind, Name, URL, Revision, Ready, Message string
}

// TraceSourceOf reads a repository.
func TraceSourceOf(o any) *TraceSource {
	switch o := o.(type) {
	case *sourcev1.GitRepository:
		status, message := readiness(o.Status.Conditions, o.Generation)
		t := &TraceSource{Kind: sourcev1.GitRepositoryKind, Name: o.Namespace + "/" + o.Name, URL: o.Spec.URL, Ready: status, Message: message}
		if o.Status.Artifact != nil {
			t.Revision = o.Status.Artifact.Revision
		}
		return t
	case *sourcev1.OCIRepository:
		status, message := readiness(o.Status.Conditions, o.Generation)
		t := &TraceSource{Kind: sourcev1.OCIRepositoryKind, Name: o.Namespace + "/" + o.Name, URL: o.Spec.URL, Ready: status, Message: message}
		if o.Status.Artifact != nil {
			t.Revision = o.Status.Artifact.Revision
		}
		return t
	}
	return nil
}

// Text goes from the object to the commit.
func (t Trace) Text(s screen.Style) string {
	p := screen.NewPage(s)
	where := "in the cluster"
	if !t.Live {
		where = "not in the cluster"
	}
	p.Line(0, screen.Bold(t.Object), screen.Plain("   "+where))
	var names []string
	for _, w := range t.Writers {
		name := w.Manager
		if w.Time != nil {
			name += " (" + s.Date(w.Time.Time) + ")"
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		p.Prose(2, 13, screen.Plain("written by  "+strings.Join(names, ", ")))
	}
	if len(t.Links) == 0 {
		p.Prose(2, 0, screen.Yellow("No Application declares it or has it in its inventory. If its namespace has Applications, it is listed there as a stray: holdfast get drift."))
	}
	for _, l := range t.Links {
		t.link(p, l)
	}
	return p.String()
}

func (t Trace) link(p *screen.Page, l TraceLink) {
	p.Blank()
	p.Line(2, screen.Bold("Application "+l.Application.Namespace+"/"+l.Application.Name),
		screen.Plain("   stage "+orDash(string(l.Application.Status.Stage.Effective))))
	verdict := string(l.Entry.Verdict)
	if reason, message := whyNotCurrent(l.Application, t.Now); reason != "" {
		verdict = "Unknown: " + message
	}
	if l.Entry.Removed != nil {
		verdict += ", no longer declared by Git"
	}
	p.Prose(4, 12, screen.Plain("verdict     "+verdict))
	if l.Entry.Since != nil {
		p.Prose(4, 12, screen.Plain("inventory   since "+p.Style().Day(l.Entry.Since.Time)+" ("+orDash(string(l.Entry.Origin))+")"))
	}
	path := l.Application.Spec.Path
	if c := l.Application.Status.Compared; c != nil {
		path += " at " + c.Revision
	}
	p.Prose(4, 12, screen.Plain("path        "+path))
	if l.Source == nil {
		p.Prose(4, 12, screen.Yellow("source      "+sourceOf(l.Application)+": "+l.Why))
		return
	}
	p.Prose(4, 12, screen.Plain("source      "+l.Source.Kind+" "+l.Source.Name+" of "+l.Source.URL))
	p.Prose(4, 12, screen.Plain("fetched     "+orDash(l.Source.Revision)+", Ready="+l.Source.Ready))
	if l.Source.Ready != "True" {
		p.Prose(16, 0, screen.Yellow(l.Source.Message))
	}
}

// Value is the same for programs.
func (t Trace) Value() any {
	links := []any{}
	for _, l := range t.Links {
		links = append(links, map[string]any{
			"application": l.Application.Namespace + "/" + l.Application.Name, "entry": l.Entry, "source": l.Source, "why": l.Why,
		})
	}
	return map[string]any{"object": t.Object, "live": t.Live, "applications": links}
}

// Names of the Applications.
func (t Trace) Names() []string {
	var names []string
	for _, l := range t.Links {
		names = append(names, applicationName(l.Application))
	}
	return names
}
