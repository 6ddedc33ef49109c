// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitaccess

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
)

// reader answers for the Secrets of one namespace.
type reader map[string]map[string]string

func (r reader) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	data, found := r[key.Name]
	if !found {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, key.Name)
	}
	secret := obj.(*corev1.Secret)
	secret.Data = map[string][]byte{}
	for name, value := range data {
		secret.Data[name] = []byte(value)
	}
	return nil
}

func (r reader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nothing lists Secrets")
}

// fake is the seam before the clouds.
type fake struct {
	token Token
	err   error
	app   App
	work  Workload
}

func (f *fake) GitHubApp(_ context.Context, app App) (Token, error) {
	f.app = app
	return f.token, f.err
}

func (f *fake) Workload(_ context.Context, workload Workload) (Token, error) {
	f.work = workload
	return f.token, f.err
}

func lockedKey(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte("w0rd"))
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

func object(change func(*sourcev1.GitRepository)) *sourcev1.GitRepository {
	obj := &sourcev1.GitRepository{}
	obj.Namespace, obj.Name = "apps", "prod"
	change(obj)
	return obj
}

func TestRemote(t *testing.T) {
	const value = "s3cr3t-v4lue"
	app := map[string]string{"githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": value}
	key := lockedKey(t)
	secrets := reader{
		"basic": {"username": "robot", "password": value}, "half": {"password": value},
		"app": app, "both": {"githubAppID": "1", "githubAppInstallationID": "2", "githubAppInstallationOwner": "o", "githubAppPrivateKey": value}, "no-key": {"githubAppID": "1", "githubAppInstallationID": "2"},
		"ssh": {"identity": key, "password": "w0rd", "known_hosts": "h"}, "locked": {"identity": key, "known_hosts": "h"}, "wrong": {"identity": key, "password": value, "known_hosts": "h"}, "no-host": {"identity": key},
		"proxy": {"address": "http://proxy:3128", "username": "p", "password": value}, "bad-proxy": {"address": "ftp://" + value},
	}
	named := func(secret, proxy, provider, account string) func(*sourcev1.GitRepository) {
		return func(o *sourcev1.GitRepository) {
			o.Spec.Provider, o.Spec.ServiceAccountName = provider, account
			if secret != "" {
				o.Spec.SecretRef = &meta.LocalObjectReference{Name: secret}
			}
			if proxy != "" {
				o.Spec.ProxySecretRef = &meta.LocalObjectReference{Name: proxy}
			}
		}
	}
	tests := map[string]struct {
		reason string
		url    string
		obj    func(*sourcev1.GitRepository)
		err    error // of the provider
		kind   halt.Kind
		want   string // reason, or the header
	}{
		"anonymous":       {"a public repository", "https://h/r", named("", "", "", ""), nil, "", ""},
		"basic, proxied":  {"both Secrets", "https://h/r", named("basic", "proxy", "generic", ""), nil, "", "Basic cm9ib3Q6czNjcjN0LXY0bHVl"},
		"ssh":             {"a key that opens", "ssh://h/r", named("ssh", "", "", ""), nil, "", ""},
		"no Secret":       {"it may come", "https://h/r", named("none", "", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"half":            {"keys that do not fit", "https://h/r", named("half", "", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"no proxy":        {"it may come", "https://h/r", named("", "none", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"bad proxy":       {"no proxy's address", "https://h/r", named("", "bad-proxy", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"locked":          {"no passphrase", "ssh://h/r", named("locked", "", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"wrong word":      {"does not open", "ssh://h/r", named("wrong", "", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"no known hosts":  {"the key would be shown to anybody", "ssh://h/r", named("no-host", "", "", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"app":             {"a token of the installation", "https://h/r", named("app", "proxy", "github", ""), nil, "", "Basic eDp0"},
		"app, no Secret":  {"only the spec mends it", "https://h/r", named("", "", "github", ""), nil, halt.Stalled, sourcev1.InvalidProviderConfigurationReason},
		"app, other data": {"the Secret may change", "https://h/r", named("basic", "", "github", ""), nil, halt.Retry, sourcev1.InvalidProviderConfigurationReason},
		"app, generic":    {"the provider is missing", "https://h/r", named("app", "", "", ""), nil, halt.Retry, sourcev1.InvalidProviderConfigurationReason},
		"app, both":       {"owner and installation", "https://h/r", named("both", "", "github", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"app, no key":     {"nothing to sign with", "https://h/r", named("no-key", "", "github", ""), nil, halt.Retry, sourcev1.AuthenticationFailedReason},
		"app, refused":    {"by GitHub", "https://h/r", named("app", "", "github", ""), errors.New("no"), halt.Retry, sourcev1.AuthenticationFailedReason},
		"azure":           {"the controller's own identity", "https://h/r", named("", "proxy", "azure", ""), nil, "", "Basic eDp0"},
		"azure, refused":  {"by the cloud", "https://h/r", named("", "", "azure", ""), errors.New("no"), halt.Retry, sourcev1.AuthenticationFailedReason},
		"aws, gate off":   {"only the spec or the gate mends it", "https://h/r", named("", "", "aws", "deployer"), nil, halt.Stalled, meta.FeatureGateDisabledReason},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tokens := &fake{token: Token{Username: "x", Password: "t"}, err: tc.err}
			access := &Access{Reader: secrets, Tokens: tokens}
			address, _ := url.Parse(tc.url)
			remote, failure := access.Remote(t.Context(), object(tc.obj), address)
			if tc.kind == "" {
				if failure != nil || remote.Auth.Header() != tc.want {
					t.Fatalf("%s: got %q, %v", tc.reason, remote.Auth.Header(), failure)
				}
				return
			}
			if failure == nil || failure.Kind != tc.kind || failure.Reason != tc.want {
				t.Fatalf("%s: got %+v", tc.reason, failure)
			}
			if strings.Contains(failure.Error(), value) {
				t.Errorf("the message carries a value: %v", failure)
			}
		})
	}
}

// TestTokensAreOneIdentity: a new token of the same app finds the same mirror,
// another app or account does not.
func TestTokensAreOneIdentity(t *testing.T) {
	secrets := reader{
		"one": {"githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": "k"},
		"two": {"githubAppID": "1", "githubAppInstallationID": "3", "githubAppPrivateKey": "k"},
	}
	fingerprint := func(secret, token string) string {
		access := &Access{Reader: secrets, Tokens: &fake{token: Token{Username: "x", Password: token}}}
		address, _ := url.Parse("https://h/r")
		remote, failure := access.Remote(t.Context(), object(func(o *sourcev1.GitRepository) {
			o.Spec.Provider = sourcev1.GitProviderGitHub
			o.Spec.SecretRef = &meta.LocalObjectReference{Name: secret}
		}), address)
		if failure != nil {
			t.Fatal(failure)
		}
		return remote.Auth.Fingerprint([]byte("key"))
	}
	if fingerprint("one", "a") != fingerprint("one", "b") {
		t.Error("a renewed token looks like other credentials")
	}
	if fingerprint("one", "a") == fingerprint("two", "a") {
		t.Error("two installations share an identity")
	}
}
