// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/gitserver"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// fleet is a repository that is bootstrapped, and how it is reached.
type fleet struct {
	dir    string // of the bare repository
	server *gitserver.Server
	repo   *gitserver.Repository
}

func newFleet(t *testing.T, password string) fleet {
	t.Helper()
	dir, user := t.TempDir(), ""
	if password != "" {
		user = "git"
	}
	server, err := gitserver.StartTLS(dir, user, password)
	must(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	repo, err := server.Create(t.Context(), "fleet.git")
	must(t, err)
	return fleet{dir: filepath.Join(dir, "fleet.git"), server: server, repo: repo}
}

func (f fleet) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"--git-dir", f.dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// hook makes the server refuse or do something, as protected branches do.
func (f fleet) hook(t *testing.T, script string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(f.dir, "hooks"), 0o755))
	must(t, os.WriteFile(filepath.Join(f.dir, "hooks", "pre-receive"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func written(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, content, 0o600))
	return path
}

// claimable makes what the claim of an install binds to, since nothing provisions
// volumes here. When the test ends the install does, but for its kinds and rights:
// the controllers of the lab go on with them.
func claimable(t *testing.T, s *lab.Space) {
	t.Helper()
	t.Cleanup(func() { vacate(t, s) })
	apply(t, s, `{apiVersion: v1, kind: PersistentVolume, metadata: {name: drift-controller},
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /nowhere}}}`)
}

func vacate(t *testing.T, s *lab.Space) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second) // the test's own has ended
	defer cancel()
	in := client.InNamespace(holdfast.Namespace)
	for _, kind := range []client.Object{&api.Application{}, &sourcev1.GitRepository{}, &appsv1.Deployment{}} {
		if err := s.Client.DeleteAllOf(ctx, kind, in); err != nil {
			t.Error(err)
		}
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: holdfast.Namespace}}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"holdfast.dev/installed-by":null}}}`))
	if err := s.Client.Patch(ctx, ns, patch); err != nil {
		t.Error(err)
	}
}

// owner is what the cluster remembers of an install, and the version of it.
func owner(t *testing.T, s *lab.Space) string {
	t.Helper()
	var ns corev1.Namespace
	must(t, s.Client.Get(t.Context(), client.ObjectKey{Name: holdfast.Namespace}, &ns))
	return ns.ResourceVersion + " " + ns.Annotations["holdfast.dev/installed-by"]
}

// TestBootstrapRefusals: what stands in the way is named with the next step, and
// neither the repository nor the cluster has changed.
func TestBootstrapRefusals(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	f := newFleet(t, "")
	_, err := f.repo.Commit(t.Context(), "somebody's", time.Now(), map[string][]byte{
		"README.md": []byte("fleet\n"), "foreign/holdfast-system/holdfast-components.yaml": []byte("kind: ConfigMap\n"),
	})
	must(t, err)
	ssh, known := sshFleet(t, f)
	must(t, ssh.server.ChangeHostKey())
	apply(t, s, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: test-reader}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: [get, list]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: test-reader}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: test-reader}, subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: reader}]}`)
	as := func(user string) string {
		path, err := s.Cluster.Kubeconfig(user)
		must(t, err)
		return path
	}
	line := "bootstrap git --force --timeout 60s --path clusters/prod --url "
	https, ca := line+f.repo.URL, " --ca-file "+written(t, f.server.CA)
	tests := map[string]struct {
		reason, line, kubeconfig, hook string
		says, next                     string
	}{
		"no cluster":     {reason: "nothing answers", line: https + ca, kubeconfig: configFor(t, "http://127.0.0.1:1"), says: "no API server answers", next: "Check that the cluster is up"},
		"no kubeconfig":  {reason: "none is there", line: https + ca, kubeconfig: filepath.Join(t.TempDir(), "none"), says: "kubeconfig", next: "Name a kubeconfig"},
		"wrong context":  {reason: "the ones that there are", line: https + ca + " --context nope", says: "nope", next: "Contexts that it has: "},
		"no right":       {reason: "may not even look", line: https + ca, kubeconfig: as("mallory"), says: "mallory", next: "Ask for that right"},
		"may only read":  {reason: "found out before the push", line: https + ca, kubeconfig: as("reader"), says: "you may not create customresourcedefinitions", next: "Ask an administrator"},
		"older server":   {reason: "has no admission policies", line: https + ca, kubeconfig: configFor(t, claiming(t, s, "v1.29.4")), says: "v1.29.4", next: "Upgrade the cluster"},
		"protected":      {reason: "the server's words", line: https + ca, hook: "echo 'this branch is protected' >&2; exit 1", says: "refuses the push", next: "Let the credential's owner push"},
		"foreign file":   {reason: "not written by the command", line: strings.Replace(https, "clusters/prod", "foreign", 1) + ca, says: "was not written by holdfast bootstrap", next: "another --path"},
		"unknown CA":     {reason: "no certificate is trusted unseen", line: https, says: "certificate", next: "Check"},
		"host key":       {reason: "it changed since", line: line + ssh.url + ssh.flags + known, says: "has changed", next: "Ask its owner for the fingerprint"},
		"unknown host":   {reason: "no trust on first use", line: line + ssh.url + ssh.flags, says: "is not known", next: "give the key with --known-hosts-file"},
		"locked signing": {reason: "before anything is read", line: https + ca + " --gpg-key-ring " + written(t, signingKey(t, "x").private), says: "does not open", next: "GPG_PASSPHRASE"},
	}
	refs, before := f.git(t, "for-each-ref"), owner(t, s)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f.hook(t, tc.hook)
			with := h
			if tc.kubeconfig != "" {
				with.kubeconfig = tc.kubeconfig
			}
			got, err := with.run(t.Context(), words(tc.line)...)
			must(t, err)
			if got.code != 2 || !strings.Contains(got.err, tc.says) || !strings.Contains(got.err, tc.next) {
				t.Errorf("%s: code %d, want 2, %q and %q:\n%s%s", tc.reason, got.code, tc.says, tc.next, got.out, got.err)
			}
			if now := f.git(t, "for-each-ref"); now != refs {
				t.Errorf("%s: something was pushed: %s, was %s", tc.reason, now, refs)
			}
			if now := owner(t, s); now != before {
				t.Errorf("%s: the cluster changed: %s, was %s", tc.reason, now, before)
			}
		})
	}
}

// sshRemote is a repository over SSH, with the flags that open it.
type sshRemote struct {
	server     *gitserver.SSH
	url, flags string
}

func sshFleet(t *testing.T, f fleet) (sshRemote, string) {
	t.Helper()
	key, private, err := gitserver.Key()
	must(t, err)
	server, err := gitserver.StartSSH(filepath.Dir(f.dir), key.PublicKey())
	must(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	text, err := gitserver.PEM(private, "")
	must(t, err)
	return sshRemote{server: server, url: server.URL("fleet.git"), flags: " --private-key-file " + written(t, text)}, " --known-hosts-file " + written(t, server.KnownHosts())
}

// configFor is a kubeconfig for an address without a credential.
func configFor(t *testing.T, address string) string {
	t.Helper()
	return written(t, fmt.Appendf(nil, `{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: %q}}], contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {}}]}`, address))
}

// claiming is the API server, but for the version that it says it has.
func claiming(t *testing.T, s *lab.Space, version string) string {
	t.Helper()
	config := s.Cluster.AdminConfig()
	transport, err := rest.TransportFor(config)
	must(t, err)
	target, err := url.Parse(config.Host)
	must(t, err)
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"major":"1","minor":"29","gitVersion":%q}`, version)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// signing is a PGP key of a test.
type signing struct {
	private []byte
	public  string
}

func signingKey(t *testing.T, passphrase string) signing {
	t.Helper()
	entity, err := openpgp.NewEntity("Fleet", "", "fleet@example.com", nil)
	must(t, err)
	var public, private strings.Builder
	w, err := armor.Encode(&public, openpgp.PublicKeyType, nil)
	must(t, err)
	must(t, entity.Serialize(w))
	must(t, w.Close())
	must(t, entity.EncryptPrivateKeys([]byte(passphrase), nil))
	w, err = armor.Encode(&private, openpgp.PrivateKeyType, nil)
	must(t, err)
	must(t, entity.SerializePrivateWithoutSigning(w, nil))
	must(t, w.Close())
	return signing{private: []byte(private.String()), public: public.String()}
}

// TestBootstrapOverHTTPS: an empty repository behind a token and a certificate of
// one's own, signed, while somebody else is faster once.
func TestBootstrapOverHTTPS(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	f := newFleet(t, "s3cret-token")
	claimable(t, s)
	var once sync.Once
	f.server.BeforePush = func() {
		once.Do(func() {
			if _, err := f.repo.Commit(context.Background(), "faster", time.Now(), map[string][]byte{"README.md": []byte("fleet\n")}); err != nil {
				t.Error(err)
			}
		})
	}
	key := signingKey(t, "open sesame")
	t.Setenv("GIT_PASSWORD", "s3cret-token")
	t.Setenv("GPG_PASSPHRASE", "open sesame")
	h.play(t, step{args: "bootstrap git --timeout 120s --force --path clusters/prod --url " + f.repo.URL + " --ca-file " + written(t, f.server.CA) + " --gpg-key-ring " + written(t, key.private),
		out: []string{"kept        the CRDs of Flux", "somebody pushed meanwhile", "pushed clusters/prod/holdfast-system", "ready       holdfast-system follows main@sha1:"}})
	raw := f.git(t, "cat-file", "commit", "main")
	header, rest, _ := strings.Cut(raw, "gpgsig ")
	signature, message, _ := strings.Cut(rest, "-----END PGP SIGNATURE-----\n")
	signature = strings.ReplaceAll(signature+"-----END PGP SIGNATURE-----", "\n ", "\n")
	ring, err := openpgp.ReadArmoredKeyRing(strings.NewReader(key.public))
	must(t, err)
	signed := header + strings.TrimPrefix(message, " ") + "\n"
	if _, err := openpgp.CheckArmoredDetachedSignature(ring, strings.NewReader(signed), strings.NewReader(signature), nil); err != nil {
		t.Errorf("the commit's signature: %v\n%s", err, raw)
	}
	if log := f.git(t, "log", "--format=%s", "main"); log != "Holdfast clusters/prod\nfaster" {
		t.Errorf("the history is\n%s", log)
	}
}

// TestBootstrapIsInterrupted: over SSH, into a used repository, killed at each
// line that it prints and while it applies. The last run converges, with one
// commit for all of them.
func TestBootstrapIsInterrupted(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	h := cli(t, s)
	f := newFleet(t, "")
	claimable(t, s)
	_, err := f.repo.Commit(t.Context(), "used", time.Now(), map[string][]byte{"README.md": []byte("fleet\n"), "apps/x.yaml": []byte("a: 1\n")})
	must(t, err)
	remote, known := sshFleet(t, f)
	args := words("bootstrap git --timeout 120s --force --path clusters/prod --url " + remote.url + remote.flags + known)
	for _, at := range []string{"rights ", "kept ", "repository ", "objects applied", "waiting for the controllers", "source "} {
		h.killAt(t, at, args)
		if files := f.git(t, "ls-tree", "-r", "--name-only", "main"); !strings.Contains(files, "apps/x.yaml") {
			t.Fatalf("killed at %q: a file of somebody else is gone:\n%s", at, files)
		}
	}
	got, err := h.run(t.Context(), args...)
	must(t, err)
	if got.code != 0 || !strings.Contains(got.out, "ready       holdfast-system follows main@sha1:") || !strings.Contains(got.out, "has the manifests already") {
		t.Errorf("the last run: code %d\n%s%s", got.code, got.out, got.err)
	}
	if log := f.git(t, "log", "--format=%s", "main"); log != "Holdfast clusters/prod\nused" {
		t.Errorf("the history is\n%s", log)
	}
}

// killAt runs the command and kills it, as kill -9 does, once it prints this.
func (h program) killAt(t *testing.T, text string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.path, append(args, "--kubeconfig", h.kubeconfig, "-n", h.namespace)...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	seen, all := false, ""
	for lines := bufio.NewScanner(out); lines.Scan() && !seen; {
		all += lines.Text() + "\n"
		seen = strings.Contains(lines.Text(), text)
	}
	_ = cmd.Process.Kill() // it may have ended, which the next line tells
	_ = cmd.Wait()
	if !seen {
		t.Fatalf("it never printed %q:\n%s%s", text, all, errs.String())
	}
}
