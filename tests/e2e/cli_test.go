// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

var (
	buildCLI sync.Once
	errCLI   error
)

// program is the built binary, as a user has it.
type program struct {
	path, kubeconfig, namespace string
}

func cli(t *testing.T, s *lab.Space) program {
	t.Helper()
	path := filepath.Join(s.Root, "bin", "tests", "e2e", "bin", "holdfast")
	buildCLI.Do(func() {
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.version=v0.1.0", "-o", path, "./cli")
		cmd.Dir = s.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			errCLI = fmt.Errorf("building the CLI: %w\n%s", err, out)
		}
	})
	must(t, errCLI)
	return program{path: path, kubeconfig: s.Cluster.AdminKubeconfig(), namespace: s.Namespace}
}

// answer of one run.
type answer struct {
	out, err string
	code     int
}

func (h program) run(ctx context.Context, args ...string) (answer, error) {
	cmd := exec.CommandContext(ctx, h.path, append(args, "--kubeconfig", h.kubeconfig, "-n", h.namespace)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{}, err
	}
	return answer{out.String(), errs.String(), cmd.ProcessState.ExitCode()}, nil
}

// step is one command with what it has to say.
type step struct {
	args string
	code int
	out  []string
	err  string
}

func (h program) play(t *testing.T, steps ...step) {
	t.Helper()
	for _, st := range steps {
		got, err := h.run(t.Context(), words(st.args)...)
		must(t, err)
		if got.code != st.code {
			t.Fatalf("holdfast %s: code %d, want %d\n%s%s", st.args, got.code, st.code, got.out, got.err)
		}
		for _, want := range st.out {
			if !strings.Contains(got.out, want) {
				t.Errorf("holdfast %s: want %q in:\n%s%s", st.args, want, got.out, got.err)
			}
		}
		if !strings.Contains(got.err, st.err) {
			t.Errorf("holdfast %s: want %q on stderr, have:\n%s", st.args, st.err, got.err)
		}
		for line := range strings.Lines(got.out) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 100 && !strings.Contains(st.args, "-o ") && !strings.Contains(st.args, "export") {
				t.Errorf("holdfast %s: a line is wider than 100 columns: %s", st.args, line)
			}
		}
	}
}

// words splits a command line; what stands in quotes is one word.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}

const envMap = `apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {HOST: %s}
`

// TestCLIVerbs goes through the life of one application with the binary only.
func TestCLIVerbs(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	push(t, s, "first", files{"app/env.yaml": fmt.Sprintf(envMap, "a")})
	must(t, s.Project(t.Context(), nil))
	deploy(t, s, "helm", fmt.Sprintf(envMap, "a"))
	must(t, s.Declare(t.Context(), "web", "app", []byte("project: "+s.Namespace)))
	must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "True"}))
	h.play(t,
		step{args: "get sources", out: []string{"GitRepository  repo", "True", "main@sha1:"}},
		step{args: "get sources -A -o name", out: []string{"gitrepository.source.toolkit.fluxcd.io/repo"}},
		step{args: "get sources nope", code: 2, err: "there are repo"},
		step{args: "get rollouts -o json", out: []string{`"kind": "List"`}},
		step{args: "get approvals", err: "No approvals in namespace " + s.Namespace},
		step{args: "get breakglass", err: "No emergencies"},
		step{args: "reconcile web --with-source", out: []string{"GitRepository " + s.Namespace + "/repo: Ready=True", "Application " + s.Namespace + "/web: compared main@sha1:", "Synced=True"}},
		step{args: "trace ConfigMap/env", out: []string{"ConfigMap " + s.Namespace + "/env   in the cluster", "written by  helm", "verdict     InSync", "source      GitRepository"}},
		step{args: "trace Widget/x", code: 2, err: `no kind "Widget"`},
		step{args: "trace ConfigMap/nope", code: 2, err: "neither in the cluster nor in any inventory"},
		step{args: "stage web", out: []string{"in effect   Observe", "next        Sync", "needs spec.identity.apply"}},
		step{args: "stage web SelfHeal", code: 2, err: "more than one step"},
		step{args: "stage web Sync", code: 2, err: "needs spec.identity.apply"},
		step{args: "plan web", out: []string{"heal  nothing"}},
		step{args: "undo web", code: 2, err: "can be brought back"},
		step{args: `approve web --plan sha256:0123456789ab --reason "x"`, code: 2, err: "has no plan sha256:0123456789ab now"},
		step{args: "suspend web", out: []string{"nothing is compared and nothing is written", "holdfast resume web"}},
		step{args: "reconcile web", code: 2, err: "is suspended"},
		step{args: "resume web", out: []string{"Application web is resumed."}},
		step{args: "resume Widget/web", code: 2, err: "is not one of Application"},
	)
}

// TestCLIClimbs takes an application with an old hand edit to SelfHeal, and
// through an emergency.
func TestCLIClimbs(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	push(t, s, "first", files{"app/env.yaml": fmt.Sprintf(envMap, "a")})
	must(t, s.Project(t.Context(), nil))
	deploy(t, s, "kubectl-edit", fmt.Sprintf(envMap, "old-edit"))
	must(t, s.Declare(t.Context(), "web", "app", []byte("project: "+s.Namespace+"\nidentity: {observe: observer, apply: deployer}")))
	must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "False"}))
	h.play(t, step{args: "stage web Sync", out: []string{"ceiling Observe -> Sync"}})
	must(t, s.AtStage(t.Context(), "web", "Sync"))
	h.play(t, step{args: "stage web selfheal", out: []string{"ceiling Sync -> SelfHeal"}})
	must(t, s.AtStage(t.Context(), "web", "SelfHeal"))
	var digest string
	until(t, func(ctx context.Context) error {
		app, err := s.Application(ctx, "web")
		if err == nil && (app.Status.Plans == nil || app.Status.Plans.Heal == nil || app.Status.Plans.Heal.State != "AwaitingApproval") {
			err = fmt.Errorf("no heal plan waits:\n%s", s.StatusText(app))
		}
		if err == nil {
			digest = app.Status.Plans.Heal.Digest
		}
		return err
	})
	h.play(t,
		step{args: "plan web --stage SelfHeal", out: []string{"to heal", "awaiting approval", "approve: holdfast approve web"}},
		step{args: "approve web --plan " + digest, code: 2, err: "--reason"},
		step{args: `breakglass open web --for 1h --timeout 120s --reason "night"`, out: []string{"sync, heal and prune are off until", "End it before: holdfast breakglass close web"}},
		step{args: "get breakglass", out: []string{"APPLICATION", "Open", "night"}},
		step{args: `breakglass open web --for 1h`, code: 2, err: "an end and a reason"},
		step{args: "breakglass close web", out: []string{"the emergency is over"}},
		step{args: "breakglass close web", code: 2, err: "no emergency of Application web is open"},
		step{args: "approve web --plan " + digest[:20] + ` --reason "read it"`, out: []string{"the plan to heal may run until"}},
		step{args: "get approvals", out: []string{"read it"}},
	)
	must(t, s.Await(t.Context(), "web", lab.Condition{Type: "Synced", Status: "True"}))
	h.play(t,
		step{args: "events web", out: []string{"Application web"}},
		step{args: "trace ConfigMap/env", out: []string{"drift-controller", "stage SelfHeal"}},
		step{args: "stage web Observe", out: []string{"SelfHeal -> Observe"}},
	)
}

// TestCLIInstall: from the embedded manifests into a cluster that has the kinds
// already, made by another tool, and out again.
func TestCLIInstall(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	claimable(t, s)
	before := kindsOfFlux(t, s)
	h.play(t,
		step{args: "check --pre", out: []string{"ok       Kubernetes", "ok       your rights"}},
		step{args: "install --components nope", code: 2, err: `"nope" is not one of`},
		step{args: "install --export --tag v9.9.9", out: []string{"kind: Deployment", "drift-controller:v9.9.9"}},
		step{args: "install --timeout 120s", out: []string{"kept: the CRDs of Flux", "objects applied", "ready."}},
		step{args: "install --timeout 120s --memory source-controller=2Gi", out: []string{"ready."}},
		step{args: "check", out: []string{"ok       kinds", "ok       observers are held to dry runs", "ok       drift-controller"}},
		step{args: "create source git other --url https://user:pw@git.example.com/x --export", code: 2, err: "holds a user or a password"},
		step{args: "create source git other --url https://git.example.com/x --branch main", out: []string{"applied: GitRepository " + s.Namespace + "/other"}},
		step{args: "export GitRepository/other", out: []string{"url: https://git.example.com/x"}},
		step{args: "create application shop --source GitRepository/other --path .", code: 2, err: "--kinds"},
		step{args: "create application shop --source GitRepository/other --stage SelfHeal --kinds deployments.apps,configmaps", out: []string{"ServiceAccount " + s.Namespace + "/shop-deployer", "Application " + s.Namespace + "/shop"}},
		step{args: "stage shop Sync", out: []string{"ceiling SelfHeal -> Sync"}},
		step{args: "suspend shop", out: []string{"shop"}},
		step{args: "create application shop --source GitRepository/other --kinds deployments.apps,configmaps", out: []string{"Application " + s.Namespace + "/shop"}},
		step{args: "export shop", out: []string{"stage: Sync", "suspend: true", "apply: shop-deployer"}},
		step{args: "create application shop --source GitRepository/other --stage SelfHeal --strays --kinds deployments.apps,configmaps", out: []string{"Application " + s.Namespace + "/shop"}},
		step{args: "export shop", out: []string{"- cronjobs"}},
		step{args: "export shop", out: []string{"name: shop-observer-dry-run-only", "- impersonate", "stage: SelfHeal"}},
		step{args: "uninstall", out: []string{"Deployment drift-controller"}, err: "Nothing was deleted"},
	)
	if diff := cmp.Diff(before, kindsOfFlux(t, s)); diff != "" {
		t.Errorf("Flux's kinds were another tool's, and are kept as they are (-want +got):\n%s", diff)
	}
}

// kindsOfFlux are Flux's definitions as they stand, without what the server
// itself keeps of them.
func kindsOfFlux(t *testing.T, s *lab.Space) map[string]any {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("apiextensions.k8s.io/v1")
	list.SetKind("CustomResourceDefinitionList")
	must(t, s.Client.List(t.Context(), list))
	kinds := map[string]any{}
	for _, o := range list.Items {
		if group, _, _ := unstructured.NestedString(o.Object, "spec", "group"); group == "source.toolkit.fluxcd.io" {
			kinds[o.GetName()] = []any{o.GetLabels(), o.GetAnnotations(), o.Object["spec"]}
		}
	}
	if len(kinds) == 0 {
		t.Fatal("Flux's kinds are not there")
	}
	return kinds
}

// TestCLIBootstrap: from an empty repository over HTTP with a password, again
// without a commit, changed by a flag on top of somebody's push, and refused
// from another path.
func TestCLIBootstrap(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	dir := t.TempDir()
	server, err := gitserver.Start(dir, "git", "s3cret-token")
	must(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	repo, err := server.Create(t.Context(), "fleet.git")
	must(t, err)
	claimable(t, s)
	line := "bootstrap git --allow-insecure-http --timeout 120s --force --url " + repo.URL + " --path clusters/prod"
	h.play(t, step{args: line, code: 2, err: "does not accept the credential"})
	t.Setenv("GIT_PASSWORD", "s3cret-token")
	h.play(t,
		step{args: line + " --branch nope --path ../x", code: 2, err: "--path"},
		step{args: line, out: []string{"pushed clusters/prod/holdfast-system", "yours, until this command ends", "fetched main@sha1:", "ready       holdfast-system follows main@sha1:"}},
		step{args: line, out: []string{"has the manifests already", "ready"}},
		step{args: "install", code: 2, err: "belongs to another installation: bootstrap " + repo.URL},
		step{args: strings.Replace(line, "clusters/prod", "clusters/other", 1) + " --force=false", code: 2, err: "belongs to another installation"},
	)
	_, err = repo.Commit(t.Context(), "somebody's", time.Now(), map[string][]byte{"README.md": []byte("fleet\n")})
	must(t, err)
	h.play(t, step{args: line + " --toleration-keys dedicated", out: []string{"pushed clusters/prod/holdfast-system", "ready"}})
	files, err := exec.Command("git", "--git-dir", filepath.Join(dir, "fleet.git"), "log", "-p", "main").Output()
	must(t, err)
	for _, secret := range []string{"s3cret-token", "czNjcmV0LXRva2Vu"} {
		if strings.Contains(string(files), secret) {
			t.Errorf("the credential is in Git")
		}
	}
}
