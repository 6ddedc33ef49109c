// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
	"github.com/holdfast-gitops/holdfast/tests/conformance/play"
	"github.com/holdfast-gitops/holdfast/tests/conformance/subject"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
	"github.com/holdfast-gitops/holdfast/tests/receiver"
)

// Variables that choose what is run.
const (
	// envSubject is the path of a source-controller to hold to the contract
	// instead of ours.
	envSubject = "SOURCE_CONTROLLER"
	// envOracle is the path of a second one: what both show is compared.
	envOracle = "ORACLE"
	// envKinds is a folder with CRDs that another binary needs besides ours.
	envKinds = "SOURCE_KINDS"
)

const root = "../.."

// patience is long: two cores are shared with the control plane, and Flux's
// backoff is part of some cases.
const patience = 40 * time.Second

func TestMain(m *testing.M) { cluster.Main(m, cluster.Options{ReadyTimeout: 3 * time.Minute}) }

// hall is what the tests of this package share: built and started once.
type hall struct {
	cluster *cluster.Cluster
	stage   play.Stage
	ours    string // the path of our binary
}

var (
	once   sync.Once
	shared hall
	broken error
)

func open(t *testing.T) hall {
	t.Helper()
	c := cluster.Get(t)
	once.Do(func() { shared, broken = prepare(context.Background(), c) })
	if broken != nil {
		t.Fatal(broken)
	}
	return shared
}

func prepare(ctx context.Context, c *cluster.Cluster) (hall, error) {
	h := hall{cluster: c}
	if err := holdfast.Install(ctx, c, root); err != nil {
		return h, err
	}
	if folder := os.Getenv(envKinds); folder != "" {
		if err := c.ApplyDir(ctx, folder, "conformance"); err != nil {
			return h, err
		}
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, sourcev1.AddToScheme} {
		if err := add(scheme); err != nil {
			return h, err
		}
	}
	api, err := client.NewWithWatch(c.AdminConfig(), client.Options{Scheme: scheme})
	if err != nil {
		return h, err
	}
	if h.stage, err = newStage(ctx, filepath.Join(c.Dir(), "conformance-git")); err != nil {
		return h, err
	}
	h.stage.Client = api
	h.ours, err = build(ctx)
	return h, err
}

// newStage starts the servers that sources are fetched from. Files of Secrets are
// variables in base64, as their data is written.
func newStage(ctx context.Context, dir string) (play.Stage, error) {
	authority, err := fixture.NewAuthority()
	if err != nil {
		return play.Stage{}, err
	}
	git, err := fixture.NewGit(dir, authority)
	if err != nil {
		return play.Stage{}, err
	}
	stage := play.Stage{Git: git, Registry: fixture.NewRegistry(ctx, authority), Sink: receiver.Start(), Patience: patience}
	ssh, err := git.NewSSH()
	if err != nil {
		return stage, err
	}
	proxies, err := fixture.NewProxies(map[string]string{fixture.ProxiedGit: git.Address(), fixture.ProxiedOCI: stage.Registry.Host})
	if err != nil {
		return stage, err
	}
	github, err := fixture.NewGitHub(authority)
	if err != nil {
		return stage, err
	}
	stage.Vars = map[string]string{
		"SSH": "ssh://git@" + ssh.Address, "GIT_TLS": git.TLS, "REGISTRY_TLS": stage.Registry.TLS, "GITHUB": github.URL,
		"PROXY_HTTP": proxies.HTTP, "PROXY_SOCKS": proxies.SOCKS, "PROXY_USER": fixture.ProxyUser, "PROXY_PASSWORD": fixture.ProxyPassword,
		"PROXIED_GIT": "http://" + fixture.ProxiedGit, "PROXIED_OCI": fixture.ProxiedOCI, "APP_TOKEN": fixture.AppToken,
	}
	for name, file := range map[string][]byte{
		"SSH_IDENTITY": ssh.Identity, "SSH_LOCKED": ssh.Locked, "SSH_KNOWN_HOSTS": ssh.KnownHosts, "SSH_STRANGERS": ssh.Strangers,
		"SSH_PASSPHRASE": []byte(fixture.Passphrase), "CA": authority.CA, "CLIENT_CERT": authority.ClientCert, "CLIENT_KEY": authority.ClientKey,
		"APP_KEY": github.Key, "NOTATION_CA": fixture.NotationAuthority(),
	} {
		stage.Vars[name] = base64.StdEncoding.EncodeToString(file)
	}
	return stage, nil
}

// build compiles our source-controller with the Makefile's flags, unless a folder
// with the controllers is given.
func build(ctx context.Context) (string, error) {
	if dir := os.Getenv(lab.EnvControllers); dir != "" {
		return filepath.Join(dir, "bin", "source-controller"), nil
	}
	binary, err := filepath.Abs(filepath.Join(root, "bin", "tests", "conformance", "source-controller"))
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.version=tested", "-o", binary, ".")
	command.Dir = filepath.Join(root, "source-controller")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building source-controller: %w\n%s", err, out)
	}
	return binary, nil
}

// subjectOf prepares a subject: ours with the rights of config/rbac, another as
// administrator, since its rights are its own.
func (h hall) subjectOf(t *testing.T, binary string, flags ...string) *subject.Subject {
	t.Helper()
	kubeconfig := h.cluster.AdminKubeconfig()
	if binary == "" {
		binary = h.ours
		account := holdfast.Account(holdfast.Source)
		var err error
		kubeconfig, err = h.cluster.Kubeconfig(account, "system:serviceaccounts", "system:serviceaccounts:"+holdfast.Namespace, "system:authenticated")
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := subject.New(subject.Options{
		Name: "source-controller", Binary: binary, Kubeconfig: kubeconfig, Dir: t.TempDir(),
		Flags: append([]string{"--events-addr=" + h.stage.Sink.URL}, flags...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts a subject that ends with the test.
func start(t *testing.T, s *subject.Subject, flags ...string) {
	t.Helper()
	if err := s.Start(flags...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}
