// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bootstrap is "bootstrap git".
//
// In: options, and the manifests that the binary carries. Out: a commit in the
// user's repository, and a cluster that follows it. It looks at everything
// before it writes anything, and can be run again after any interruption.
package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/bootstrap"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/install"
	"github.com/holdfast-gitops/holdfast/cli/internal/gitrepo"
	"github.com/holdfast-gitops/holdfast/cli/internal/installation"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

func (o Options) say(format string, args ...any) {
	fmt.Fprintln(o.Terminal.Out, screen.Clean(fmt.Sprintf(format, args...)))
}

func run(ctx context.Context, o Options) error {
	if err := o.valid(); err != nil {
		return err
	}
	if err := o.credential(); err != nil {
		return err
	}
	in, err := o.input(false)
	if err != nil {
		return err
	}
	if o.Export {
		return o.export(in)
	}
	c, in, err := o.preflight(ctx, in)
	if err != nil {
		return err
	}
	revision, err := o.publish(ctx, in)
	if err != nil {
		return err
	}
	if err := o.apply(ctx, c, in); err != nil {
		return err
	}
	return o.follow(ctx, c, revision)
}

func (o Options) input(keepSourceKinds bool) (bootstrap.Input, error) {
	o.Manifests.KeepSourceKinds = keepSourceKinds
	in := bootstrap.Input{
		URL: o.Remote.URL, Branch: o.Remote.Branch, Path: o.Path, Interval: o.Interval,
		Secret: len(o.Remote.Credential.Secret()) > 0 && (o.Remote.Credential.Password != "" || len(o.Remote.Credential.PrivateKey) > 0),
	}
	objects, err := manifests.Render(o.Manifests)
	if err != nil {
		return in, err
	}
	install.Sign(objects, in.Owner())
	in.Components = objects
	return in, nil
}

func (o Options) export(in bootstrap.Input) error {
	files, err := in.Files(false)
	if err != nil {
		return err
	}
	for _, name := range []string{bootstrap.ComponentsFile, bootstrap.SyncFile} {
		fmt.Fprintf(o.Terminal.Out, "# %s\n%s", path.Join(in.Folder(), name), files[path.Join(in.Folder(), name)])
	}
	return nil
}

// preflight reads the cluster, and refuses before anything is written anywhere.
func (o Options) preflight(ctx context.Context, in bootstrap.Input) (c installation.Cluster, _ bootstrap.Input, err error) {
	to, err := o.Connect()
	if err != nil {
		return c, in, err
	}
	if c, err = installation.Connect(to); err != nil {
		return c, in, err
	}
	found, err := c.Look(ctx)
	if err != nil {
		return c, in, err
	}
	if err := found.Refuse(in.Owner(), o.Manifests.Components, o.Force); err != nil {
		return c, in, err
	}
	if err := c.Able(ctx, in.Components); err != nil {
		return c, in, err
	}
	o.say("cluster     %s", c.Place())
	o.say("rights      those of a cluster administrator, yours, until this command ends; nothing of them stays")
	if found.SourceKinds {
		o.say("kept        the CRDs of Flux that are there")
		in, err = o.input(true)
	}
	return c, in, err
}

// publish commits and pushes. A push that races another is made again on top of
// what the other pushed.
func (o Options) publish(ctx context.Context, in bootstrap.Input) (string, error) {
	const tries = 4
	for range tries {
		revision, err := o.publishOnce(ctx, in)
		if !errors.Is(err, gitrepo.ErrRaced) {
			return revision, err
		}
		o.say("repository  somebody pushed meanwhile; reading it again")
	}
	return "", &cluster.Fault{Kind: cluster.Refused, What: fmt.Sprintf("pushing to %s: somebody else was faster %d times", in.URL, tries), Next: "Run the same again."}
}

func (o Options) publishOnce(ctx context.Context, in bootstrap.Input) (string, error) {
	repo, err := gitrepo.Open(ctx, o.Remote)
	if err != nil {
		return "", err
	}
	kept, err := o.owned(repo, in)
	if err != nil {
		return "", err
	}
	files, err := in.Files(kept)
	if err != nil {
		return "", err
	}
	hash, err := repo.Commit(files, "Holdfast "+in.Path+"\n\nWritten by holdfast bootstrap.\n", o.Author, o.Terminal.Now())
	if err != nil {
		return "", err
	}
	if hash == "" {
		o.say("repository  %s has the manifests already, at %.12s", in.Folder(), repo.Head())
		return repo.Head(), nil
	}
	if err := repo.Push(ctx); err != nil {
		return "", err
	}
	o.say("repository  pushed %s to branch %s, commit %.12s", in.Folder(), in.Branch, hash)
	return hash, nil
}

// owned refuses to overwrite what somebody else wrote; kept says that the
// user's own kustomization is there.
func (o Options) owned(repo *gitrepo.Checkout, in bootstrap.Input) (kept bool, err error) {
	for _, name := range []string{bootstrap.ComponentsFile, bootstrap.SyncFile} {
		text, found, err := repo.Read(path.Join(in.Folder(), name))
		if err != nil {
			return false, err
		}
		if found && bootstrap.Foreign(text) {
			return false, &cluster.Fault{Kind: cluster.Refused,
				What: fmt.Sprintf("%s of the repository is there and was not written by holdfast bootstrap", path.Join(in.Folder(), name)),
				Next: "Choose another --path, or move the file away. Nothing was changed."}
		}
	}
	_, kept, err = repo.Read(path.Join(in.Folder(), bootstrap.Kustomization))
	return kept, err
}

// apply puts the same objects into the cluster that were pushed.
func (o Options) apply(ctx context.Context, c installation.Cluster, in bootstrap.Input) error {
	progress := func(line string) { o.say("cluster     %s", line) }
	if err := c.Apply(ctx, in.Components, progress); err != nil {
		return err
	}
	sync, err := in.Sync()
	if err != nil {
		return err
	}
	if in.Secret {
		secret, err := o.secret()
		if err != nil {
			return err
		}
		sync = append([]*unstructured.Unstructured{secret}, sync...)
	}
	if err := c.Apply(ctx, sync, progress); err != nil {
		return err
	}
	o.say("cluster     waiting for the controllers")
	return c.Wait(ctx, o.Manifests.Components, o.Timeout)
}

func (o Options) secret() (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: bootstrap.Name, Namespace: manifests.Namespace},
		Data:       o.Remote.Credential.Secret(),
	})
	if err != nil {
		return nil, errors.New("encoding the Secret failed")
	}
	u := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u, nil
}

// follow waits until the source has fetched what was pushed and the Application
// has compared it.
func (o Options) follow(ctx context.Context, c installation.Cluster, revision string) error {
	var source sourcev1.GitRepository
	if err := c.Get(ctx, manifests.Namespace, bootstrap.Name, &source); err != nil {
		return err
	}
	// The commit is there now; waiting for the interval would help nobody.
	ask := map[string]any{"metadata": map[string]any{"annotations": map[string]any{
		contract.RequestedAtAnnotation: o.Terminal.Now().Format(time.RFC3339Nano)}}}
	if err := c.Writer.Merge(ctx, &source, ask); err != nil {
		return err
	}
	err := c.Await(ctx, o.Timeout, "revision "+revision+" of GitRepository "+bootstrap.Name, func(ctx context.Context) (cluster.Seen, error) {
		if err := c.Get(ctx, manifests.Namespace, bootstrap.Name, &source); err != nil {
			return cluster.Seen{}, err
		}
		ready := apimeta.FindStatusCondition(source.Status.Conditions, contract.ReadyCondition)
		fetched := source.Status.Artifact != nil && strings.HasSuffix(source.Status.Artifact.Revision, revision)
		return cluster.Seen{Done: fetched && ready != nil && ready.Status == metav1.ConditionTrue, Word: word(ready)}, nil
	})
	if err != nil {
		return err
	}
	o.say("source      fetched %s", source.Status.Artifact.Revision)
	var app v1alpha1.Application
	err = c.Await(ctx, o.Timeout, "Application "+bootstrap.Name, func(ctx context.Context) (cluster.Seen, error) {
		if err := c.Get(ctx, manifests.Namespace, bootstrap.Name, &app); err != nil {
			return cluster.Seen{}, err
		}
		ready := apimeta.FindStatusCondition(app.Status.Conditions, contract.ReadyCondition)
		compared := app.Status.Compared != nil && strings.HasSuffix(app.Status.Compared.Revision, revision)
		return cluster.Seen{Done: compared && ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == app.Generation, Word: word(ready)}, nil
	})
	if err != nil {
		return err
	}
	o.say("ready       %s follows %s", bootstrap.Name, app.Status.Compared.Revision)
	return nil
}

func word(c *metav1.Condition) string {
	if c == nil {
		return "its status is empty: is the controller running?"
	}
	return fmt.Sprintf("Ready=%s %s: %s", c.Status, c.Reason, c.Message)
}
