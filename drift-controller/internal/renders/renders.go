// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/artifact"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/rendered"
)

// Artifact is what a source's status names.
type Artifact = artifact.Ref

// Options of the cache.
type Options struct {
	Host            string // host:port that statuses name
	MaxArtifactSize int64
	Cluster         *observe.Cluster
}

// Cache renders, and remembers renders.
type Cache struct {
	options   Options
	artifacts *artifact.Store
	served    *rendered.Store
	key       mask.Key
	keptIn    string // the folder of the renders that an undo takes from
	now       func() time.Time

	mu    sync.Mutex
	known map[types.NamespacedName]*Rendered
}

// Request is one render.
type Request struct {
	App       types.NamespacedName
	Spec      api.ApplicationSpec
	Namespace string
	Artifact  Artifact
	Observer  *observe.Cluster
	Denied    string // why nobody can read values from the cluster
}

// Rendered is a render with what it was made of.
type Rendered struct {
	Result render.Result
	// Key changes when anything does that the manifests depend on.
	Key string
	// Inputs are digests of what it was made of beside manifests, by name.
	Inputs map[string]string

	options  string
	artifact string
	served   *api.Rendered
	servedAt string
}

// deadline bounds one render.
const deadline = time.Minute

// Open opens the storage folder and its key.
func Open(dir string, o Options) (*Cache, error) {
	key, err := maskKey(filepath.Join(dir, "mask.key"))
	if err != nil {
		return nil, err
	}
	artifacts, err := artifact.New(filepath.Join(dir, "artifacts"), o.MaxArtifactSize)
	if err != nil {
		return nil, err
	}
	served, err := rendered.NewStore(filepath.Join(dir, "rendered"))
	if err != nil {
		return nil, err
	}
	return &Cache{options: o, artifacts: artifacts, served: served, key: key, keptIn: filepath.Join(dir, "kept"), now: time.Now, known: map[types.NamespacedName]*Rendered{}}, nil
}

// Key masks values and makes the digests of inventories.
func (c *Cache) Key() mask.Key { return c.key }

// maskKey reads the key, or makes it at the first start. Whoever loses it loses
// the baselines of all inventories, not a value.
func maskKey(path string) (mask.Key, error) {
	key, err := os.ReadFile(path)
	if err == nil && len(key) == 32 {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the mask key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the storage folder: %w", err)
	}
	key = make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("making the mask key: %w", err)
	}
	if err := os.WriteFile(path, key, 0o600); err != nil {
		return nil, fmt.Errorf("keeping the mask key: %w", err)
	}
	return key, nil
}

// Render gives the manifests of a request. An error is a halt with its reason.
func (c *Cache) Render(ctx context.Context, req Request) (*Rendered, error) {
	external, err := c.external(ctx, req)
	if err != nil {
		return nil, err
	}
	options, err := c.optionsOf(ctx, req, external)
	if err != nil {
		return nil, err
	}
	before := c.remembered(req.App)
	// The path is no option: without it another path would show the old render.
	digest := options.Digest() + " " + path.Clean(req.Spec.Path)
	if before != nil && before.options == digest && before.artifact == req.Artifact.Digest {
		return before, nil
	}
	tree, err := c.artifacts.Open(ctx, req.Artifact)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	if before != nil && before.options == digest && before.Result.Fresh(tree.FS(), nil) {
		same := *before
		same.artifact, same.Inputs = req.Artifact.Digest, c.inputs(req, options, external, before.Result.Kind, tree.FS())
		return c.remember(req.App, &same), nil
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	result, err := render.Render(ctx, tree.FS(), req.Spec.Path, options)
	if err != nil {
		return nil, err
	}
	made := &Rendered{
		Result: result, Key: req.Artifact.Digest + digest, options: digest, artifact: req.Artifact.Digest,
		Inputs: c.inputs(req, options, external, result.Kind, tree.FS()),
	}
	return c.remember(req.App, made), nil
}

func (c *Cache) optionsOf(ctx context.Context, req Request, external render.External) (render.Options, error) {
	options, err := render.OptionsFrom(req.Spec.Render, req.App.Name, req.Namespace, external)
	if err != nil {
		return options, err
	}
	capabilities, err := c.options.Cluster.Capabilities(ctx)
	if err != nil {
		return options, halt.Retryf(contract.DiscoveryFailedReason, "asking the API server what it serves: %w", err)
	}
	scopes, err := c.options.Cluster.Scopes(ctx)
	if err != nil {
		return options, halt.Retryf(contract.DiscoveryFailedReason, "asking the API server for its kinds: %w", err)
	}
	options.Revision = req.Artifact.Revision
	options.Cluster = render.Cluster{
		KubeVersion: capabilities.KubeVersion, APIVersions: capabilities.APIVersions, Incomplete: scopes.Incomplete,
	}
	return options, nil
}

func (c *Cache) remembered(app types.NamespacedName) *Rendered {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[app]
}

func (c *Cache) remember(app types.NamespacedName, r *Rendered) *Rendered {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known[app] = r
	return r
}

// Again renders once more what was released.
func (c *Cache) Again(ctx context.Context, req Request) (*Rendered, error) {
	c.mu.Lock()
	delete(c.known, req.App)
	c.mu.Unlock()
	return c.Render(ctx, req)
}

// Release lets go of the manifests once a desired set was made of them.
func (r *Rendered) Release() { r.Result.Objects = nil }

// Released says whether the manifests are gone.
func (r *Rendered) Released() bool { return r.Result.Objects == nil }

// Forget drops everything of an application that is gone.
func (c *Cache) Forget(app types.NamespacedName) {
	c.mu.Lock()
	delete(c.known, app)
	c.mu.Unlock()
	_ = os.RemoveAll(filepath.Join(c.keptIn, c.secret(app)))
	_ = c.served.Drop(c.secret(app)) // what stays is masked, and trimmed when the name is used again
}

// secret is the part of an application's URL that nobody can guess: 32 digits.
func (c *Cache) secret(app types.NamespacedName) string {
	return c.key.Digest("path "+app.String()) + c.key.Digest("path 2 "+app.String())
}

// Publish stores the masked desired set, and gives where it is served.
func (c *Cache) Publish(req Request, r *Rendered, set desired.Set) (*api.Rendered, error) {
	at := req.Artifact.URL + req.Artifact.Digest + r.Key + fmt.Sprint(len(set.Objects))
	if r.served != nil && r.servedAt == at {
		return r.served, nil
	}
	objects := make([]*unstructured.Unstructured, 0, len(set.Objects))
	for _, o := range set.Objects {
		full, err := o.Full()
		if err != nil {
			return nil, err
		}
		objects = append(objects, full.Unstructured)
	}
	text, err := rendered.Manifests(objects, mask.Scope{Key: c.key, Tainted: r.Result.TaintedValues()})
	if err != nil {
		return nil, err
	}
	stored, err := c.served.Put(c.secret(req.App), text)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r.served, r.servedAt = &api.Rendered{
		URL: "http://" + c.options.Host + "/" + stored.Path, Digest: stored.Digest,
		Revision: req.Artifact.Revision, SourceDigest: req.Artifact.Digest, SourceURL: req.Artifact.URL,
	}, at
	return r.served, nil
}

// Notes are what the render has to say to the reader of the Application.
func (r *Rendered) Notes() []string {
	notes := append([]string(nil), r.Result.Notes...)
	for _, h := range r.Result.Hooks {
		notes = append(notes, fmt.Sprintf("hook %s (%s, %s) is not run and not compared", h.ID, h.Event, h.Source))
	}
	for _, u := range r.Result.Unjudged {
		notes = append(notes, fmt.Sprintf("%s (%s): %s", u.ID, u.Source, u.Reason))
	}
	return notes
}

// DeclaredAt names the place in Git that declares a field.
func (r *Rendered) DeclaredAt(o drift.Object, j drift.Judgement) string {
	return j.Wanted.Place(func(value any) string {
		return r.Result.Origin(manifest.Object{Source: o.Source}, lastName(j.Pointer), value)
	})
}
