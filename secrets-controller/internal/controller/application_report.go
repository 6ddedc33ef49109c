// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/holdfast-gitops/holdfast/api/contract"
	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/status"
)

// report is the pages that an Application has, in their order.
type report struct {
	pages []secretsv1.SecretReport
}

func (r report) statuses() []secretsv1.SecretReportStatus {
	var out []secretsv1.SecretReportStatus
	for _, page := range r.pages {
		out = append(out, page.Status)
	}
	return out
}

// first is the status that carries the verdicts, as it is now.
func (r report) first() secretsv1.SecretReportStatus {
	if len(r.pages) == 0 {
		return secretsv1.SecretReportStatus{}
	}
	return r.pages[0].Status
}

// report reads the pages of an Application. Pages of an earlier Application of
// the same name are left to the garbage collector's work and do not count.
func (r *ApplicationReconciler) report(ctx context.Context, app *driftv1.Application) (report, error) {
	var list secretsv1.SecretReportList
	err := r.List(ctx, &list, client.InNamespace(app.Namespace), client.MatchingLabels{contract.ApplicationLabel: app.Name})
	if err != nil {
		return report{}, fmt.Errorf("listing the SecretReports of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	pages := slices.DeleteFunc(list.Items, func(page secretsv1.SecretReport) bool {
		return !metav1.IsControlledBy(&page, app)
	})
	slices.SortFunc(pages, func(a, b secretsv1.SecretReport) int { return cmp.Compare(pageNumber(a), pageNumber(b)) })
	return report{pages: pages}, nil
}

func pageNumber(page secretsv1.SecretReport) int {
	n, err := strconv.Atoi(page.Labels[contract.PageLabel])
	if err != nil {
		return -1
	}
	return n
}

func pageName(app *driftv1.Application, n int) string { return fmt.Sprintf("%s-%d", app.Name, n) }

// publish makes the pages say what is wanted: it writes those that differ,
// creates the missing and deletes those that are too many.
func (r *ApplicationReconciler) publish(ctx context.Context, app *driftv1.Application, have report, want []secretsv1.SecretReportStatus) error {
	before := have.first()
	there := map[int]*secretsv1.SecretReport{}
	for i := range have.pages {
		there[pageNumber(have.pages[i])] = &have.pages[i]
	}
	for n := range want {
		page := there[n]
		delete(there, n)
		if page == nil {
			created, err := r.createPage(ctx, app, n)
			if err != nil {
				return err
			}
			page = created
		}
		if err := r.writePage(ctx, page, want[n]); err != nil {
			return err
		}
	}
	for _, surplus := range there {
		if err := r.Delete(ctx, surplus, client.Preconditions{UID: &surplus.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting SecretReport %s/%s: %w", surplus.Namespace, surplus.Name, err)
		}
	}
	r.Metrics.Record(types.NamespacedName{Namespace: app.Namespace, Name: app.Name}, want[0])
	r.tell(app, before, want[0])
	return nil
}

func (r *ApplicationReconciler) createPage(ctx context.Context, app *driftv1.Application, n int) (*secretsv1.SecretReport, error) {
	page := &secretsv1.SecretReport{ObjectMeta: metav1.ObjectMeta{
		Namespace: app.Namespace,
		Name:      pageName(app, n),
		Labels: map[string]string{
			contract.ApplicationLabel: app.Name,
			contract.PageLabel:        strconv.Itoa(n),
		},
	}}
	// The report must not hold up the deletion of its Application.
	err := controllerutil.SetControllerReference(app, page, r.Scheme(), controllerutil.WithBlockOwnerDeletion(false))
	if err != nil {
		return nil, fmt.Errorf("owner of SecretReport %s/%s: %w", page.Namespace, page.Name, err)
	}
	if err := r.Create(ctx, page); err != nil {
		return nil, fmt.Errorf("creating SecretReport %s/%s: %w", page.Namespace, page.Name, err)
	}
	return page, nil
}

// writePage writes the status of a page, if it differs in more than its times.
func (r *ApplicationReconciler) writePage(ctx context.Context, page *secretsv1.SecretReport, want secretsv1.SecretReportStatus) error {
	next, differs := status.Settle(page.Status, want, page.Generation)
	if !differs {
		return nil
	}
	page.Status = next
	if err := r.Status().Update(ctx, page); err != nil {
		return fmt.Errorf("writing the status of SecretReport %s/%s: %w", page.Namespace, page.Name, err)
	}
	return nil
}
