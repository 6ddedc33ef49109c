// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
)

// atOnce bounds the requests for the pages of one book: one after the other,
// the pages of a large application would take longer than its objects.
const atOnce = 8

// Pages writes pages and remembers, per page, the digest of what it wrote.
type Pages struct {
	Client client.Client
	// Reader is not cached: pages are read once per application, at the start.
	Reader client.Reader

	written shelf
}

// Reports reads the DriftReport pages of an application.
func (p *Pages) Reports(ctx context.Context, app types.NamespacedName) ([]api.DriftReport, error) {
	var list api.DriftReportList
	err := p.Reader.List(ctx, &list, client.InNamespace(app.Namespace), client.MatchingLabels{contract.ApplicationLabel: app.Name})
	if err != nil {
		return nil, fmt.Errorf("reading the drift report of %s: %w", app, err)
	}
	for _, page := range list.Items {
		if err := p.read(book{app: app, kind: reports}, page.Name, page.Status); err != nil {
			return nil, err
		}
	}
	return list.Items, nil
}

// Inventories reads the Inventory pages of an application.
func (p *Pages) Inventories(ctx context.Context, app types.NamespacedName) ([]api.Inventory, error) {
	var list api.InventoryList
	err := p.Reader.List(ctx, &list, client.InNamespace(app.Namespace), client.MatchingLabels{contract.ApplicationLabel: app.Name})
	if err != nil {
		return nil, fmt.Errorf("reading the inventory of %s: %w", app, err)
	}
	for _, page := range list.Items {
		if err := p.read(book{app: app, kind: inventories}, page.Name, page.Status); err != nil {
			return nil, err
		}
	}
	return list.Items, nil
}

func (p *Pages) read(b book, page string, status any) error {
	text, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encoding page %s of %s: %w", page, b.app, err)
	}
	p.written.put(b, page, digestOf(text))
	return nil
}

// WriteReports makes the pages of the report what they shall be.
func (p *Pages) WriteReports(ctx context.Context, app *api.Application, statuses []api.DriftReportStatus) error {
	b := book{app: client.ObjectKeyFromObject(app), kind: reports}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, status := range statuses {
		group.Go(func() error { return p.write(ctx, b, b.blank(app, i), status) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return p.trim(ctx, b, len(statuses))
}

// WriteInventory makes pages of the inventory what they shall be: those with a
// number in only, or all where only is nil, of count in all.
func (p *Pages) WriteInventory(ctx context.Context, app *api.Application, memory inventory.Memory, graves inventory.Graves, only map[int]bool) error {
	b := book{app: client.ObjectKeyFromObject(app), kind: inventories}
	count := memory.Count()
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range count {
		if known := p.written.digest(b, pageName(app.Name, i)); only != nil && !only[i] && known != "" && known != forgotten {
			continue
		}
		group.Go(func() error { return p.write(ctx, b, b.blank(app, i), memory.Page(i, count, graves)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return p.trim(ctx, b, count)
}

// Forget makes the next run write all pages of an application anew, because
// one was deleted or changed by somebody else.
func (p *Pages) Forget(app types.NamespacedName) {
	for _, kind := range []string{reports, inventories} {
		p.written.forget(book{app: app, kind: kind})
	}
}

// Drop keeps nothing of an application that is gone.
func (p *Pages) Drop(app types.NamespacedName) {
	for _, kind := range []string{reports, inventories} {
		p.written.drop(book{app: app, kind: kind})
	}
}

func pageName(app string, page int) string { return app + "-" + strconv.Itoa(page) }

func meta(app *api.Application, page int) metav1.ObjectMeta {
	yes := true
	return metav1.ObjectMeta{
		Namespace: app.Namespace, Name: pageName(app.Name, page),
		Labels: map[string]string{contract.ApplicationLabel: app.Name, contract.PageLabel: strconv.Itoa(page)},
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: api.GroupVersion.String(), Kind: "Application", Name: app.Name, UID: app.UID,
			Controller: &yes,
		}},
	}
}

// write sends a page's status if it changed: one request where the page is
// there, two where it has to be created.
func (p *Pages) write(ctx context.Context, b book, page client.Object, status any) error {
	text, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encoding page %s/%s: %w", page.GetNamespace(), page.GetName(), err)
	}
	digest, known := digestOf(text), p.written.digest(b, page.GetName())
	if known == digest {
		return nil
	}
	// A merge patch would keep fields that the new status leaves out.
	patch := append(append([]byte(`[{"op":"add","path":"/status","value":`), text...), "}]"...)
	send := func() error {
		return p.Client.Status().Patch(ctx, copyOf(page), client.RawPatch(types.JSONPatchType, patch))
	}
	if known != "" {
		err = send()
	}
	// Which pages there are was read at the start, so one that is not known is
	// most likely not there.
	if known == "" || apierrors.IsNotFound(err) {
		if err = p.Client.Create(ctx, copyOf(page), client.FieldOwner(contract.DriftFieldManager)); err == nil || apierrors.IsAlreadyExists(err) {
			err = send()
		}
	}
	if err != nil {
		return fmt.Errorf("writing page %s/%s: %w", page.GetNamespace(), page.GetName(), err)
	}
	p.written.put(b, page.GetName(), digest)
	return nil
}

// copyOf spares the page from what the client reads back into it.
func copyOf(page client.Object) client.Object {
	return page.DeepCopyObject().(client.Object) //nolint:forcetypeassert // a copy has the type of its original
}

// trim deletes the pages of a book that has count of them now.
func (p *Pages) trim(ctx context.Context, b book, count int) error {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, name := range p.written.beyond(b, count) {
		group.Go(func() error {
			page := b.named(name)
			if err := client.IgnoreNotFound(p.Client.Delete(ctx, page)); err != nil {
				return fmt.Errorf("deleting page %s/%s: %w", b.app.Namespace, name, err)
			}
			p.written.remove(b, name)
			return nil
		})
	}
	return group.Wait()
}
