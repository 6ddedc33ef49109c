// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"encoding/json"
	"slices"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Get reads an Application or a Project.
func (d *double) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch o := into.(type) {
	case *api.Application:
		d.app.DeepCopyInto(o)
	case *api.Project:
		d.project.DeepCopyInto(o)
	default:
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	if d.dead {
		return errDead
	}
	return nil
}

// List lists what an application has around it.
func (d *double) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	switch list := into.(type) {
	case *api.BreakGlassList:
		list.Items = slices.Clone(d.glasses)
	case *api.ApprovalList:
		list.Items = slices.Clone(d.approvals)
	case *api.InventoryList:
		for _, page := range d.pages {
			if p, ok := page.(*api.Inventory); ok {
				list.Items = append(list.Items, *p.DeepCopy())
			}
		}
	}
	if d.dead {
		return errDead
	}
	return nil
}

// Create makes an empty page.
func (d *double) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	done, heard := d.effect()
	if page, ok := o.(*api.Inventory); ok && done {
		page = page.DeepCopy()
		page.Status = api.InventoryStatus{}
		d.pages[o.GetName()] = page
	}
	return alive(heard)
}

// Patch is a question to the source.
func (d *double) Patch(_ context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	done, heard := d.effect()
	if _, ok := o.(*sourcev1.GitRepository); ok && done {
		text, err := patch.Data(o)
		if err != nil {
			return err
		}
		var sent struct {
			Metadata struct{ Annotations map[string]string }
		}
		if err := json.Unmarshal(text, &sent); err != nil {
			return err
		}
		d.asked = sent.Metadata.Annotations[contract.RequestedAtAnnotation]
	}
	return alive(heard)
}

func alive(heard bool) error {
	if !heard {
		return errDead
	}
	return nil
}

// Status writes pages.
func (d *double) Status() client.SubResourceWriter { return pageWriter{double: d} }

type pageWriter struct {
	client.SubResourceWriter
	double *double
}

// Patch replaces the status of a page, as the one in JSON that was sent.
func (w pageWriter) Patch(_ context.Context, o client.Object, patch client.Patch, _ ...client.SubResourcePatchOption) error {
	d := w.double
	page, there := d.pages[o.GetName()].(*api.Inventory)
	if !there {
		return apierrors.NewNotFound(schema.GroupResource{}, o.GetName())
	}
	done, heard := d.effect()
	if done && !d.ignores.intent {
		text, err := patch.Data(o)
		if err != nil {
			return err
		}
		var ops []struct{ Value api.InventoryStatus }
		if err := json.Unmarshal(text, &ops); err != nil {
			return err
		}
		page = page.DeepCopy()
		page.Status = ops[0].Value
		d.pages[o.GetName()] = page
		d.published(page.Status)
	}
	return alive(heard)
}

// past is the reader of a controller that trusts a cache: what it last read, and
// nothing that came since.
type past struct {
	*double
	app       *api.Application
	glasses   []api.BreakGlass
	approvals []api.Approval
}

func (d *double) remembered() past {
	return past{double: d, app: d.app.DeepCopy(), glasses: slices.Clone(d.glasses), approvals: slices.Clone(d.approvals)}
}

// Get is what was read before.
func (p past) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if o, ok := into.(*api.Application); ok {
		p.granted()
		p.app.DeepCopyInto(o)
		return nil
	}
	return p.double.Get(ctx, key, into, opts...)
}

// List is what was listed before.
func (p past) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	switch list := into.(type) {
	case *api.BreakGlassList:
		list.Items = slices.Clone(p.glasses)
		return nil
	case *api.ApprovalList:
		list.Items = slices.Clone(p.approvals)
		return nil
	}
	return p.double.List(ctx, into, opts...)
}

// present is the reader of a controller that trusts no cache.
type present struct{ *double }

// Get reads now.
func (p present) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if _, ok := into.(*api.Application); ok {
		p.granted() // the first of what may stop a write
	}
	return p.double.Get(ctx, key, into, opts...)
}
