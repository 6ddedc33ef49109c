// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// readiness is Ready of an object, Unknown where the condition is about an
// older declaration: unknown is never green.
func readiness(conditions []metav1.Condition, generation int64) (status, message string) {
	ready := apimeta.FindStatusCondition(conditions, contract.ReadyCondition)
	switch {
	case ready == nil:
		return "Unknown", "nothing reported yet"
	case ready.ObservedGeneration != generation:
		return "Unknown", "changed, not looked at yet"
	default:
		return string(ready.Status), ready.Message
	}
}

// Sources lists Git and OCI repositories.
func Sources(git []sourcev1.GitRepository, oci []sourcev1.OCIRepository) Listing {
	l := Listing{Columns: []ListingColumn{
		{Name: "KIND"}, {Name: "NAME"}, {Name: "READY"}, {Name: "REVISION"}, {Name: "FETCHED"},
		{Name: "URL", Wide: true}, {Name: "MESSAGE", Cut: true},
	}}
	for i := range git {
		o := &git[i]
		o.APIVersion, o.Kind = sourcev1.GroupVersion.String(), sourcev1.GitRepositoryKind
		status, message := readiness(o.Status.Conditions, o.Generation)
		l.Items = append(l.Items, Item{Object: o, Name: "gitrepository." + sourcev1.GroupVersion.Group + "/" + o.Name,
			Cells: source{o.Kind, o.Name, o.Spec.URL, status, message, o.Spec.Suspend, o.Status.Artifact != nil}.cells(o.GetArtifact)})
	}
	for i := range oci {
		o := &oci[i]
		o.APIVersion, o.Kind = sourcev1.GroupVersion.String(), sourcev1.OCIRepositoryKind
		status, message := readiness(o.Status.Conditions, o.Generation)
		l.Items = append(l.Items, Item{Object: o, Name: "ocirepository." + sourcev1.GroupVersion.Group + "/" + o.Name,
			Cells: source{o.Kind, o.Name, o.Spec.URL, status, message, o.Spec.Suspend, o.Status.Artifact != nil}.cells(o.GetArtifact)})
	}
	return l
}

// source is what the two kinds have in common.
type source struct {
	kind, name, url, status, message string
	suspended, stored                bool
}

func (s source) cells(artifact func() *fluxmeta.Artifact) func(time.Time) []string {
	return func(now time.Time) []string {
		revision, fetched := "-", "-"
		if s.stored {
			revision, fetched = shortRevision(artifact().Revision, 10), since(artifact().LastUpdateTime.Time, now)+" ago"
		}
		message := s.message
		if s.suspended {
			message = "suspended: nothing is fetched. " + message
		}
		return []string{s.kind, s.name, s.status, revision, fetched, s.url, message}
	}
}

// Rollouts lists StageRollouts.
func Rollouts(all []v1alpha1.StageRollout) Listing {
	l := Listing{Columns: []ListingColumn{
		{Name: "NAME"}, {Name: "TARGET"}, {Name: "WAVES"}, {Name: "APPLICATIONS"}, {Name: "AT TARGET"}, {Name: "READY"},
		{Name: "AGE"}, {Name: "MESSAGE", Cut: true},
	}}
	for i := range all {
		o := &all[i]
		o.APIVersion, o.Kind = v1alpha1.GroupVersion.String(), "StageRollout"
		l.Items = append(l.Items, Item{Object: o, Name: "stagerollout." + v1alpha1.GroupVersion.Group + "/" + o.Name,
			Cells: func(now time.Time) []string {
				status, message := readiness(o.Status.Conditions, o.Generation)
				if o.Spec.Suspend {
					message = "suspended: nothing rises. " + message
				}
				waves := make([]string, 0, len(o.Spec.Waves))
				for _, w := range o.Spec.Waves {
					waves = append(waves, w.Name)
				}
				return []string{o.Name, string(o.Spec.Target), strings.Join(waves, ","), fmt.Sprint(o.Status.Applications),
					fmt.Sprint(o.Status.AtTarget), status, since(o.CreationTimestamp.Time, now), message}
			}})
	}
	return l
}

// Approvals lists Approvals, and says of each whether it still approves a plan.
func Approvals(all []v1alpha1.Approval, apps []v1alpha1.Application) Listing {
	plans := map[string][]*v1alpha1.PlanStatus{}
	for i := range apps {
		if p := apps[i].Status.Plans; p != nil {
			plans[apps[i].Namespace+"/"+apps[i].Name] = []*v1alpha1.PlanStatus{p.Heal, p.Prune}
		}
	}
	l := Listing{Columns: []ListingColumn{
		{Name: "NAME"}, {Name: "APPLICATION"}, {Name: "PLAN"}, {Name: "STATE"}, {Name: "UNTIL"}, {Name: "BY", Cut: true}, {Name: "REASON", Cut: true},
	}}
	for i := range all {
		o := &all[i]
		o.APIVersion, o.Kind = v1alpha1.GroupVersion.String(), "Approval"
		l.Items = append(l.Items, Item{Object: o, Name: "approval." + v1alpha1.GroupVersion.Group + "/" + o.Name,
			Cells: func(now time.Time) []string {
				state := approvalState(o, plans[o.Namespace+"/"+o.Spec.Application], now)
				return []string{o.Name, o.Spec.Application, shortRevision(o.Spec.Digest, 10), state, until(o.Spec.Until.Time, now), o.Spec.By, o.Spec.Reason}
			}})
	}
	return l
}

// approvalState: an Approval of a plan that is no more approves nothing.
func approvalState(o *v1alpha1.Approval, plans []*v1alpha1.PlanStatus, now time.Time) string {
	if !o.Spec.Until.After(now) {
		return "Expired"
	}
	for _, p := range plans {
		if p != nil && p.Digest == o.Spec.Digest {
			return "Holds"
		}
	}
	return "NoSuchPlan"
}

// until is how long something still lasts.
func until(end, now time.Time) string {
	if !end.After(now) {
		return "ended " + since(end, now) + " ago"
	}
	return "in " + since(now, end)
}

// Emergencies lists BreakGlasses, and the holds of those that are gone: an
// Application goes on holding until the edits are in Git.
func Emergencies(all []v1alpha1.BreakGlass, apps []v1alpha1.Application) Listing {
	l := Listing{Columns: []ListingColumn{
		{Name: "NAME"}, {Name: "APPLICATION"}, {Name: "UNTIL"}, {Name: "PHASE"}, {Name: "IN GIT"}, {Name: "NOT YET IN GIT"},
		{Name: "REQUESTED BY", Wide: true}, {Name: "REASON", Cut: true},
	}}
	for i := range all {
		o := &all[i]
		o.APIVersion, o.Kind = v1alpha1.GroupVersion.String(), "BreakGlass"
		l.Items = append(l.Items, Item{Object: o, Name: "breakglass." + v1alpha1.GroupVersion.Group + "/" + o.Name,
			Cells: func(now time.Time) []string {
				phase, in, notIn := o.Status.Phase, fmt.Sprint(o.Status.Counts.InGit), fmt.Sprint(o.Status.Counts.NotInGit)
				// Until the controller has looked, nothing is known, and zero
				// edits would be a claim.
				if phase == "" {
					phase, in, notIn = "Unknown", "-", "-"
				}
				return []string{o.Name, o.Spec.Application, until(o.Spec.Until.Time, now), phase, in, notIn, o.Spec.RequestedBy, o.Spec.Reason}
			}})
	}
	for i := range apps {
		o, h := &apps[i], apps[i].Status.Hold
		if h == nil || stands(all, o.Namespace, h.BreakGlass) {
			continue
		}
		o.APIVersion, o.Kind = v1alpha1.GroupVersion.String(), "Application"
		l.Items = append(l.Items, Item{Object: o, Name: "application." + v1alpha1.GroupVersion.Group + "/" + o.Name,
			Cells: func(time.Time) []string {
				return []string{h.BreakGlass, o.Name, "closed", "Held", "-", "-", h.RequestedBy, h.Reason}
			}})
	}
	return l
}

func stands(all []v1alpha1.BreakGlass, namespace, name string) bool {
	return slices.ContainsFunc(all, func(b v1alpha1.BreakGlass) bool { return b.Namespace == namespace && b.Name == name })
}
