// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/lab"
	"github.com/holdfast-gitops/holdfast/tests/process"
)

// Options say what is run.
type Options struct {
	// Operator is the path of the binary, Args are further flags of it.
	Operator string
	Args     []string
	// Kinds is the folder of its CRDs.
	Kinds string
	// Dir receives logs.
	Dir string
}

// player applies rows and reads what came of them.
type player struct {
	cluster *cluster.Cluster
	client  client.Client
	process *process.Process
}

// Play runs the operator and plays every row. What ends it early is an error;
// what a row shows otherwise than expected is in its line.
func Play(ctx context.Context, o Options) (lines []Line, err error) {
	c, err := cluster.Start(ctx, cluster.Options{Dir: filepath.Join(o.Dir, "cluster"), Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Stop() }()
	if err := c.ApplyDir(ctx, o.Kinds, "operator-install"); err != nil {
		return nil, fmt.Errorf("the operator's kinds: %w", err)
	}
	made, err := client.New(c.AdminConfig(), client.Options{})
	if err != nil {
		return nil, fmt.Errorf("a client: %w", err)
	}
	running, err := process.Start(process.Command{
		Name: "operator", Path: o.Operator, Log: filepath.Join(o.Dir, "operator.log"),
		Args: append([]string{"--metrics-addr=0"}, o.Args...),
		Env:  []string{"KUBECONFIG=" + c.AdminKubeconfig(), "PATH=" + os.Getenv("PATH"), "HOME=" + o.Dir},
	})
	if err != nil {
		return nil, err
	}
	defer running.Stop(5 * time.Second)
	p := player{cluster: c, client: made, process: running}
	for _, r := range rows {
		line, err := p.play(ctx, r)
		if err != nil {
			return lines, fmt.Errorf("%s: %w\n%s", r.name, err, running.Tail())
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// play applies the states of a row one after the other, each after the one
// before it has settled.
func (p player) play(ctx context.Context, r row) (Line, error) {
	ns := "row-" + r.name
	if err := p.apply(ctx, fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", ns)); err != nil {
		return Line{}, err
	}
	for step := range max(len(r.stores), len(r.specs)) {
		last := step == max(len(r.stores), len(r.specs))-1
		text := manifests(ns, r, step)
		if err := p.apply(ctx, text); err != nil {
			return Line{}, err
		}
		if !last {
			if err := p.await(ctx, ns, seen{ready: "True", synced: yes}); err != nil {
				return Line{}, err
			}
			continue
		}
		// What does not come to be as expected is the finding, not an error.
		_ = p.await(ctx, ns, r.seen)
		return p.judge(ctx, ns, r, text)
	}
	return Line{}, nil
}

// manifests are the store and the ExternalSecret at one step.
func manifests(ns string, r row, step int) string {
	class := ""
	if r.name == "no-controller" {
		class = "controller: somebody-else, "
	}
	return fmt.Sprintf(`apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: fake, namespace: %[1]s}
spec: {%[2]sprovider: {fake: {data: [%[3]s]}}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: es, namespace: %[1]s}
spec:
  %[4]s`, ns, class, r.stores[min(step, len(r.stores)-1)], indented(r.specs[min(step, len(r.specs)-1)]))
}

func (p player) apply(ctx context.Context, text string) error {
	objects, err := lab.Decode([]byte(text))
	if err != nil {
		return err
	}
	return p.cluster.Apply(ctx, "platform-engineer", objects...)
}

// await polls until a status is as wanted, and stays so for a moment: a status
// of the step before looks the same.
func (p player) await(ctx context.Context, ns string, want seen) error {
	ctx, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	since := time.Time{}
	return lab.Poll(ctx, func(ctx context.Context) error {
		if err := p.process.Err(); err != nil {
			return err
		}
		have, err := p.look(ctx, ns)
		if err != nil {
			return err
		}
		if why := have.differs(want); why != "" {
			since = time.Time{}
			return fmt.Errorf("%s", why)
		}
		if since.IsZero() {
			since = time.Now()
		}
		const settled = 5 * time.Second
		if time.Since(since) < settled {
			return fmt.Errorf("not for %s yet", settled)
		}
		return nil
	})
}

// look reads a status as rules do.
func (p player) look(ctx context.Context, ns string) (seen, error) {
	live, target, err := p.live(ctx, ns)
	if err != nil {
		return seen{}, err
	}
	state := declaration.ReadExternalSecretState(declaration.NewObject(live.Object))
	out := seen{ready: no, synced: no, secret: no, reason: state.Ready.Reason}
	if state.Ready.Present {
		out.ready = state.Ready.Status
	}
	if state.SyncedGeneration == state.Generation {
		out.synced = yes
	}
	if target != nil {
		out.secret = yes
	}
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, c := range conditions {
		if fields, is := c.(map[string]any); is && fields["type"] == "Ready" {
			out.message, _ = fields["message"].(string)
		}
	}
	return out, nil
}

// live is the ExternalSecret, and the metadata of its Secret if it is there.
func (p player) live(ctx context.Context, ns string) (*unstructured.Unstructured, *metav1.PartialObjectMetadata, error) {
	es := &unstructured.Unstructured{}
	es.SetGroupVersionKind(schema.GroupVersionKind{Group: "external-secrets.io", Version: "v1", Kind: "ExternalSecret"})
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: ns, Name: "es"}, es); err != nil {
		return nil, nil, err
	}
	secrets := &metav1.PartialObjectMetadataList{}
	secrets.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "SecretList"})
	if err := p.client.List(ctx, secrets, client.InNamespace(ns)); err != nil && !meta.IsNoMatchError(err) {
		return nil, nil, err
	}
	if len(secrets.Items) == 0 {
		return es, nil, nil
	}
	return es, &secrets.Items[0], nil
}
