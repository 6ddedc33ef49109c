// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
)

//go:embed cluster/*.yaml
var declarations embed.FS

// Demo is one telling of the story.
type Demo struct {
	Cluster *cluster.Cluster
	Git     *gitserver.Repository
	Root    string // of the checkout
	Dir     string // scratch
	Kubectl string
	Binary  string // holdfast
	Out     io.Writer
	Now     func() time.Time

	client  dynamic.Interface
	began   time.Time
	version api.Application
}

// patience bounds each wait for the cluster.
const patience = 90 * time.Second

// Tell plays the story from the deployment to Synced.
func (d *Demo) Tell(ctx context.Context) error {
	client, err := dynamic.NewForConfig(d.Cluster.AdminConfig())
	if err != nil {
		return fmt.Errorf("client of the story: %w", err)
	}
	d.client = client
	for _, chapter := range []func(context.Context) error{d.deploy, d.edit, d.observe, d.show, d.commit} {
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *Demo) deploy(ctx context.Context) error {
	now := d.Now()
	d.say("Half a year ago", "A pipeline deployed the chart users-api with `helm upgrade`; Git holds the same chart.")
	content, err := files()
	if err != nil {
		return fmt.Errorf("reading the story's repository: %w", err)
	}
	if _, err := d.Git.Commit(ctx, "users-api 1.12.0", now.Add(-210*day), content); err != nil {
		return err
	}
	if err := d.Cluster.ApplyDir(ctx, filepath.Join(d.Root, "tests", "testdata", "crds"), "platform-team"); err != nil {
		return fmt.Errorf("kinds of the External Secrets Operator: %w", err)
	}
	if err := d.kubectl(ctx, "create", "namespace", Namespace); err != nil {
		return err
	}
	return d.deployWithHelm(ctx, now.Add(-208*day))
}

func (d *Demo) edit(ctx context.Context) error {
	d.say("Since then", "Somebody edited DB_HOST with kubectl edit, somebody set an env variable by hand, the autoscaler moved the replicas, and a RoleBinding was forgotten. Git knows none of it.")
	return d.editByHand(ctx, d.Now())
}

func (d *Demo) observe(ctx context.Context) error {
	d.say("Today", "Holdfast is told where Git is and may only look:")
	d.began = d.Now()
	for _, name := range []string{"observer.yaml", "application.yaml"} {
		text, err := declarations.ReadFile("cluster/" + name)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		objects, err := manifest.Decode(name, bytes.ReplaceAll(text, []byte("${GIT_URL}"), []byte(d.Git.URL)))
		if err != nil {
			return err
		}
		plain := make([]*unstructured.Unstructured, 0, len(objects))
		for _, o := range objects {
			plain = append(plain, o.Unstructured)
		}
		if err := d.Cluster.Apply(ctx, "platform-engineer", plain...); err != nil {
			return err
		}
	}
	fmt.Fprintln(d.Out, "  Application users/users-api, stage Observe, as service account users-observer")
	return d.await(ctx, "the first comparison, with what the secrets-controller says", func(app api.Application) bool {
		secrets := meta.FindStatusCondition(app.Status.Conditions, contract.SecretsValidCondition)
		return app.Status.Compared != nil && secrets != nil && secrets.Reason != contract.SecretsPendingReason
	})
}

func (d *Demo) show(ctx context.Context) error {
	d.say("What Holdfast says", "$ bin/holdfast get applications -A")
	for _, args := range [][]string{{"get", "applications", "-A"}, {"get", "drift", Application, "-n", Namespace}, {"get", "secrets", Application, "-n", Namespace}} {
		if args[1] != "applications" {
			fmt.Fprintf(d.Out, "\n$ bin/holdfast %s\n", strings.Join(args, " "))
		}
		text, err := d.holdfast(ctx, args...)
		if err != nil {
			return err
		}
		fmt.Fprint(d.Out, text)
	}
	return d.writes(ctx)
}

// writes counts in the API server's own audit log what was sent as the
// observer, which is whom every look at a managed object is sent as.
func (d *Demo) writes(ctx context.Context) error {
	events, err := d.Cluster.Audit(ctx)
	if errors.Is(err, cluster.ErrNotEmbedded) {
		fmt.Fprintln(d.Out, "\n(this cluster's audit log cannot be read from here, so the writes are not counted)")
		return nil
	}
	if err != nil {
		return err
	}
	sent := audit.Select(events, audit.Since(d.began), byObserver)
	dry, real := audit.Select(sent, audit.DryRun), audit.Select(sent, audit.Persisting)
	d.say("What Holdfast wrote", fmt.Sprintf("From the API server's audit log: %d reads, %d dry runs, %d writes to managed objects.",
		len(sent)-len(dry)-len(real), len(dry), len(real)))
	if len(real) > 0 {
		return fmt.Errorf("at stage Observe nothing may be written, and this was: %s", real[0])
	}
	return nil
}

func byObserver(e audit.Event) bool {
	return e.ImpersonatedUser == "system:serviceaccount:"+Namespace+":users-observer"
}

func (d *Demo) commit(ctx context.Context) error {
	d.say("Git learns the truth", "The team commits the real DB_HOST and the env variable that was set by hand.")
	content, err := files()
	if err != nil {
		return fmt.Errorf("reading the story's repository: %w", err)
	}
	values, template := "services/users-api/values-prod.yaml", "services/users-api/templates/api.yaml"
	changed := map[string][]byte{
		values: bytes.ReplaceAll(content[values], []byte("pgbouncer.users.svc"), []byte("pgbouncer-primary.users.svc")),
		template: bytes.Replace(content[template], []byte("          envFrom:\n"),
			[]byte("          env:\n            - {name: PGSSLMODE, value: disable}\n          envFrom:\n"), 1),
	}
	commit, err := d.Git.Commit(ctx, "users-api: what production runs on", d.Now(), changed)
	if err != nil {
		return err
	}
	pushed := d.Now()
	if err := d.await(ctx, "Synced", func(app api.Application) bool {
		return app.Status.Compared != nil && strings.HasSuffix(app.Status.Compared.Revision, commit) &&
			meta.IsStatusConditionTrue(app.Status.Conditions, contract.SyncedCondition)
	}); err != nil {
		return err
	}
	fmt.Fprintf(d.Out, "  Synced %.1f s after the push. The RoleBinding stays listed as a stray; it does not count.\n\n", d.Now().Sub(pushed).Seconds())
	text, err := d.holdfast(ctx, "get", "applications", "-A")
	fmt.Fprint(d.Out, text)
	return err
}

// await polls the Application until it is as wanted, and says what it is
// instead when patience ends.
func (d *Demo) await(ctx context.Context, what string, reached func(api.Application) bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	apps := d.client.Resource(schema.GroupVersionResource{Group: api.GroupVersion.Group, Version: api.GroupVersion.Version, Resource: "applications"})
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		o, err := apps.Namespace(Namespace).Get(ctx, Application, metav1.GetOptions{})
		if err == nil {
			err = runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &d.version)
		}
		if err == nil && reached(d.version) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s of Application %s/%s: %w; its conditions: %s", what, Namespace, Application, ctx.Err(), conditions(d.version))
		}
	}
}

func conditions(app api.Application) string {
	var lines []string
	for _, c := range app.Status.Conditions {
		lines = append(lines, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	return strings.Join(lines, "; ")
}

func (d *Demo) say(title, text string) {
	fmt.Fprintf(d.Out, "\n== %s ==\n%s\n", title, text)
}
