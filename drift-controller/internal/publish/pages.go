// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
)

// Pages writes pages and remembers, per page, the digest of what it wrote.
type Pages struct {
	Client client.Client
	// Reader is not cached: pages are read once per application, at the start.
	Reader client.Reader

	mu      sync.Mutex
	written map[string]string // page -> digest of its status
}

// Reports reads the DriftReport pages of an application.
func (p *Pages) Reports(ctx context.Context, app types.NamespacedName) ([]api.DriftReport, error) {
	var list api.DriftReportList
	err := p.Reader.List(ctx, &list, client.InNamespace(app.Namespace), client.MatchingLabels{contract.ApplicationLabel: app.Name})
	if err != nil {
		return nil, fmt.Errorf("reading the drift report of %s: %w", app, err)
	}
	for _, page := range list.Items {
		p.remember(key("DriftReport", page.Namespace, page.Name), page.Status)
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
		p.remember(key("Inventory", page.Namespace, page.Name), page.Status)
	}
	return list.Items, nil
}

// WriteReports makes the pages of the report what they shall be.
func (p *Pages) WriteReports(ctx context.Context, app *api.Application, statuses []api.DriftReportStatus) error {
	for i, status := range statuses {
		page := &api.DriftReport{ObjectMeta: meta(app, i), Status: status}
		page.SetGroupVersionKind(api.GroupVersion.WithKind("DriftReport"))
		if err := p.write(ctx, page, status); err != nil {
			return err
		}
	}
	return p.trim(ctx, app, len(statuses), func() client.Object { return &api.DriftReport{} })
}

// WriteInventory makes pages of the inventory what they shall be: those with a
// number in only, or all where only is nil, of count in all.
func (p *Pages) WriteInventory(ctx context.Context, app *api.Application, memory inventory.Memory, graves inventory.Graves, only map[int]bool) error {
	count := memory.Count()
	for i := range count {
		k := key("Inventory", app.Namespace, pageName(app.Name, i))
		if known := p.known(k); only != nil && !only[i] && known != "" && known != forgotten {
			continue
		}
		status := memory.Page(i, count, graves)
		page := &api.Inventory{ObjectMeta: meta(app, i), Status: status}
		page.SetGroupVersionKind(api.GroupVersion.WithKind("Inventory"))
		if err := p.write(ctx, page, status); err != nil {
			return err
		}
	}
	return p.trim(ctx, app, count, func() client.Object { return &api.Inventory{} })
}

// Forget makes the next run write all pages of an application anew, because
// one was deleted or changed by somebody else.
func (p *Pages) Forget(app types.NamespacedName) {
	p.each(app, func(k string) { p.written[k] = forgotten })
}

// Drop keeps nothing of an application that is gone.
func (p *Pages) Drop(app types.NamespacedName) {
	p.each(app, func(k string) { delete(p.written, k) })
}

func (p *Pages) each(app types.NamespacedName, do func(key string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, kind := range []string{"DriftReport", "Inventory"} {
		for i := 0; ; i++ {
			k := key(kind, app.Namespace, pageName(app.Name, i))
			if _, ok := p.written[k]; !ok {
				break
			}
			do(k)
		}
	}
}

// forgotten is in place of a digest: the page is there, or was, and nobody knows
// what it says.
const forgotten = "?"

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
func (p *Pages) write(ctx context.Context, page client.Object, status any) error {
	k := key(page.GetObjectKind().GroupVersionKind().Kind, page.GetNamespace(), page.GetName())
	digest := digestOf(status)
	if p.known(k) == digest {
		return nil
	}
	// A merge patch would keep fields that the new status leaves out.
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/status", "value": status}})
	if err != nil {
		return fmt.Errorf("encoding page %s: %w", page.GetName(), err)
	}
	send := func() error {
		return p.Client.Status().Patch(ctx, copyOf(page), client.RawPatch(types.JSONPatchType, patch))
	}
	if p.known(k) != "" {
		err = send()
	}
	// Which pages there are was read at the start, so one that is not known is
	// most likely not there.
	if p.known(k) == "" || apierrors.IsNotFound(err) {
		if err = p.Client.Create(ctx, copyOf(page), client.FieldOwner(contract.DriftFieldManager)); err == nil || apierrors.IsAlreadyExists(err) {
			err = send()
		}
	}
	if err != nil {
		return fmt.Errorf("writing page %s/%s: %w", page.GetNamespace(), page.GetName(), err)
	}
	p.remember(k, status)
	return nil
}

// copyOf spares the page from what the client reads back into it.
func copyOf(page client.Object) client.Object {
	return page.DeepCopyObject().(client.Object) //nolint:forcetypeassert // a copy has the type of its original
}

// trim deletes pages beyond the last one.
func (p *Pages) trim(ctx context.Context, app *api.Application, count int, kind func() client.Object) error {
	for i := count; ; i++ {
		page := kind()
		page.SetNamespace(app.Namespace)
		page.SetName(pageName(app.Name, i))
		k := key(kindOf(page), app.Namespace, page.GetName())
		if p.known(k) == "" {
			return nil
		}
		if err := client.IgnoreNotFound(p.Client.Delete(ctx, page)); err != nil {
			return fmt.Errorf("deleting page %s/%s: %w", app.Namespace, page.GetName(), err)
		}
		p.mu.Lock()
		delete(p.written, k)
		p.mu.Unlock()
	}
}

func kindOf(page client.Object) string {
	if _, ok := page.(*api.Inventory); ok {
		return "Inventory"
	}
	return "DriftReport"
}

func key(kind, namespace, name string) string { return kind + " " + namespace + "/" + name }

func (p *Pages) known(k string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written[k]
}

func (p *Pages) remember(k string, status any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.written == nil {
		p.written = map[string]string{}
	}
	p.written[k] = digestOf(status)
}

func digestOf(status any) string {
	text, err := json.Marshal(status)
	if err != nil {
		return "" // never equal to a remembered digest
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
