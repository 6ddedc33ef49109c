// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/conformance/casefile"
	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
	"github.com/holdfast-gitops/holdfast/tests/conformance/subject"
	"github.com/holdfast-gitops/holdfast/tests/receiver"
)

// ShardLabel tells the objects of one subject from those of another.
const ShardLabel = "sharding.fluxcd.io/key"

// Stage is what all cases share.
type Stage struct {
	Client   client.WithWatch
	Git      *fixture.Git
	Registry *fixture.Registry
	Sink     *receiver.Receiver
	// Vars are addresses and keys that cases may name.
	Vars map[string]string
	// Patience bounds the wait for one expectation.
	Patience time.Duration
}

// Player plays cases on one subject.
type Player struct {
	Stage
	Subject *subject.Subject
	Shard   string // label value of its objects; empty for none
	Ours    bool   // held to deliberate differences too
	// Compared: records are compared with another's, and so are taken only once
	// nothing is under way.
	Compared bool
}

// play is one case in one namespace.
type play struct {
	Player
	namespace string
	vars      map[string]string
	repos     map[string]*fixture.Repository
	tars      map[string]string // digests of tars by the name of an expect
	watched   *watched
	sent      map[string]int // events at the sink that were looked at, by object
	asked     int
	record    []Seen
	last      Seen // of the look before
	signed    bool // something in it is
}

// Play plays a case in a namespace that is its own.
func (p Player) Play(ctx context.Context, namespace string, c casefile.Case) ([]Seen, error) {
	w, err := watchReady(ctx, p.Client, namespace)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	run := &play{
		Player: p, namespace: namespace, watched: w, repos: map[string]*fixture.Repository{}, tars: map[string]string{}, sent: map[string]int{},
		vars: map[string]string{},
	}
	maps.Copy(run.vars, p.Vars)
	run.vars["NS"], run.vars["GIT"], run.vars["REGISTRY"] = namespace, p.Git.URL+"/"+namespace, p.Registry.Host+"/"+namespace
	run.vars["HOST"] = p.Registry.Host
	for i, step := range c.Steps {
		if err := run.step(ctx, step); err != nil {
			return run.record, fmt.Errorf("step %d: %w", i+1, err)
		}
		if err := p.Subject.Err(); err != nil {
			return run.record, err
		}
	}
	if !p.Ours {
		// Flux writes conditions before the rest of the status, and is for a moment
		// Ready without an artifact.
		return run.record, nil
	}
	return run.record, w.problem()
}

func (r *play) step(ctx context.Context, s casefile.Step) error {
	switch {
	case s.Git != nil:
		return r.git(ctx, *s.Git)
	case s.OCI != nil:
		return r.push(ctx, *s.OCI)
	case s.Apply != "":
		return r.apply(ctx, s.Apply)
	case s.Refuse != "":
		return r.refused(ctx, s.Refuse)
	case s.Merge != nil:
		return r.merge(ctx, *s.Merge)
	case s.Ask != "":
		return r.ask(ctx, s.Ask)
	case s.Delete != "":
		obj, err := r.object(s.Delete)
		if err != nil {
			return err
		}
		return r.Client.Delete(ctx, obj)
	case s.Damage != nil:
		return r.damage(ctx, *s.Damage)
	default:
		return r.expect(ctx, *s.Expect)
	}
}

func (r *play) git(ctx context.Context, change fixture.Change) error {
	path := r.namespace + "/" + change.Repo + ".git"
	if change.Access != nil {
		change.Access.Password = r.fill(change.Access.Password)
		r.Git.Behave(path, *change.Access)
	}
	repo, found := r.repos[change.Repo]
	if !found {
		var err error
		if repo, err = r.Git.Create(ctx, path); err != nil {
			return err
		}
		r.repos[change.Repo] = repo
	}
	r.signed = r.signed || len(change.Sign) > 0
	for i, args := range change.Run {
		for j, arg := range args {
			change.Run[i][j] = r.fill(arg)
		}
	}
	commit, err := repo.Change(ctx, change)
	if change.Save != "" {
		r.vars[change.Save] = commit
	}
	return err
}

func (r *play) push(ctx context.Context, push fixture.Push) error {
	push.Name = r.namespace + "/" + push.Name
	if push.Access != nil {
		r.Registry.Behave(push.Name, *push.Access)
	}
	if len(push.Layers) == 0 {
		return nil
	}
	digest, err := r.Registry.Push(ctx, push)
	if push.Save != "" {
		r.vars[push.Save] = digest
	}
	return err
}

// fill puts values in the place of ${NAME}, and public keys, in base64 as a
// Secret's data has them, in the place of ${git SIGNER} and ${cosign SIGNER}.
func (r *play) fill(text string) string {
	return os.Expand(text, func(name string) string {
		if who, found := strings.CutPrefix(name, "git "); found {
			signer, err := fixture.SignerOf(who)
			return encoded(signer.Public, err)
		}
		if who, found := strings.CutPrefix(name, "cosign "); found {
			return encoded(fixture.CosignKey(who))
		}
		if value, found := r.vars[name]; found {
			return value
		}
		return "${" + name + "}"
	})
}

// encoded gives the error in the place of a key that could not be made: a case
// then fails with it.
func encoded(key []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return base64.StdEncoding.EncodeToString(key)
}

func (r *play) apply(ctx context.Context, text string) error {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(r.fill(text)), 4096)
	for {
		obj := &unstructured.Unstructured{}
		if err := decoder.Decode(&obj.Object); err != nil || obj.Object == nil {
			return ignoreEnd(err)
		}
		obj.SetNamespace(r.namespace)
		if r.Shard != "" {
			labels := obj.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[ShardLabel] = r.Shard
			obj.SetLabels(labels)
		}
		if err := r.Client.Create(ctx, obj); err != nil {
			return fmt.Errorf("creating %s %s: %w", obj.GetKind(), obj.GetName(), err)
		}
	}
}

// refused makes sure that the schema refuses an object.
func (r *play) refused(ctx context.Context, text string) error {
	err := r.apply(ctx, text)
	if err == nil {
		return errors.New("the API server takes what it must refuse")
	}
	if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
		return err
	}
	return nil
}

func (r *play) merge(ctx context.Context, m casefile.Merge) error {
	obj, err := r.object(m.Object)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(m.Patch)
	if err != nil {
		return err
	}
	patch := client.RawPatch("application/merge-patch+json", []byte(r.fill(string(raw))))
	if m.Status {
		return r.Client.Status().Patch(ctx, obj, patch)
	}
	return r.Client.Patch(ctx, obj, patch)
}

// ask asks for a reconcile as the CLI does, and waits until it was handled.
func (r *play) ask(ctx context.Context, name string) error {
	obj, err := r.object(name)
	if err != nil {
		return err
	}
	r.asked++
	token := fmt.Sprintf("ask-%d", r.asked)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, token)
	if err := r.Client.Patch(ctx, obj, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		return err
	}
	return r.poll(ctx, func() error {
		if err := r.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err
		}
		if handled := handledAt(obj); handled != token {
			return fmt.Errorf("the request %s of %s is not handled: lastHandledReconcileAt is %q", token, name, handled)
		}
		return nil
	})
}

func handledAt(obj client.Object) string {
	switch o := obj.(type) {
	case *sourcev1.GitRepository:
		return o.Status.LastHandledReconcileAt
	case *sourcev1.OCIRepository:
		return o.Status.LastHandledReconcileAt
	}
	return ""
}

// damage is an accident on the disk of the controller.
func (r *play) damage(ctx context.Context, d casefile.Damage) error {
	obj, err := r.object(d.Object)
	if err != nil {
		return err
	}
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		return err
	}
	artifact := obj.(source).GetArtifact()
	if artifact == nil {
		return fmt.Errorf("%s has no artifact to damage", d.Object)
	}
	file := filepath.Join(r.Subject.Storage, artifact.Path)
	if d.How == "Remove" {
		return os.Remove(file)
	}
	return os.WriteFile(file, []byte("these are not the bytes that were stored"), 0o600)
}

// poll tries until the work succeeds or patience ends.
func (r *play) poll(ctx context.Context, work func() error) error {
	deadline := time.NewTimer(r.Patience)
	defer deadline.Stop()
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for {
		err := work()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.Subject.Done():
			return fmt.Errorf("%w; meanwhile %w", err, r.Subject.Err())
		case <-deadline.C:
			return err
		case <-tick.C:
		}
	}
}

// object is an empty object with the name of KIND/NAME.
func (r *play) object(name string) (client.Object, error) {
	kind, name, _ := strings.Cut(name, "/")
	var obj client.Object
	switch kind {
	case sourcev1.GitRepositoryKind:
		obj = &sourcev1.GitRepository{}
	case sourcev1.OCIRepositoryKind:
		obj = &sourcev1.OCIRepository{}
	case "Secret":
		obj = &corev1.Secret{}
	default:
		return nil, fmt.Errorf("%q is no kind that cases name", kind)
	}
	obj.SetNamespace(r.namespace)
	obj.SetName(name)
	return obj, nil
}

func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
