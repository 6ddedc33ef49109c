// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"context"
	"fmt"
	"testing"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// reached are sources whose way in holds a secret, and none of which arrives.
// Nobody listens on port 1.
const reached = `
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {username: app, password: %[2]q}
---
apiVersion: v1
kind: Secret
metadata: {name: proxy}
stringData: {address: "http://127.0.0.1:1", username: app, password: %[3]q}
---
apiVersion: v1
kind: Secret
metadata: {name: proxy-garbled}
stringData: {address: "http://app:%[3]s@[::1", username: app, password: %[3]q}
---
apiVersion: v1
kind: Secret
metadata: {name: ssh}
stringData: {identity: "-----BEGIN OPENSSH PRIVATE KEY-----\n%[4]s\n-----END OPENSSH PRIVATE KEY-----\n", known_hosts: "127.0.0.1 ssh-ed25519 %[4]s"}
---
apiVersion: v1
kind: Secret
metadata: {name: bearer}
stringData: {bearerToken: %[2]q}
---
apiVersion: v1
kind: Secret
metadata: {name: both}
stringData: {username: app, password: %[2]q, bearerToken: %[2]q}
---
apiVersion: v1
kind: Secret
metadata: {name: certificates}
stringData: {ca.crt: %[4]q, tls.crt: %[4]q, tls.key: %[4]q}
---
apiVersion: v1
kind: Secret
metadata: {name: registry}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths":{"127.0.0.1:1":{"username":"app","password":"%[5]s"}}}'}
---
apiVersion: v1
kind: Secret
metadata: {name: registry-garbled}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: '{"auths":{"127.0.0.1:1":{"auth":"%[5]s"}}}'}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {trusted.asc: %[4]q, trusted.pub: %[4]q}
`

// TestSecretsOfSources: what leads to a repository or a registry is in no
// message about its failure. The address stands in the spec itself, so only
// what controllers say is searched.
func TestSecretsOfSources(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	p := planted
	apply(t, s, fmt.Sprintf(reached, "", p["the password of a source"], p["the password of a proxy"], p["a private key of SSH"], p["the credential of a registry"]))
	git := map[string]string{
		"in-address":    "url: http://app:" + p["the address of a source"] + "@127.0.0.1:1/x.git",
		"in-ssh":        "url: ssh://git:" + p["the address of a source"] + "@127.0.0.1:1/x.git, secretRef: {name: ssh}",
		"unparsable":    "url: 'http://app:" + p["the address of a source"] + "%zz@127.0.0.1:1/x.git'",
		"by-password":   "url: http://127.0.0.1:1/x.git, secretRef: {name: login}",
		"by-both":       "url: http://127.0.0.1:1/x.git, secretRef: {name: both}",
		"by-token":      "url: http://127.0.0.1:1/x.git, secretRef: {name: bearer}",
		"through-proxy": "url: http://127.0.0.1:1/x.git, proxySecretRef: {name: proxy}",
		"garbled-proxy": "url: http://127.0.0.1:1/x.git, proxySecretRef: {name: proxy-garbled}",
		"garbled-key":   "url: ssh://git@127.0.0.1:1/x.git, secretRef: {name: ssh}",
		"garbled-certs": "url: https://127.0.0.1:1/x.git, secretRef: {name: certificates}",
		"verified":      fmt.Sprintf("url: %q, ref: {branch: main}, verify: {mode: HEAD, secretRef: {name: keys}}", s.URL),
		"with-login":    fmt.Sprintf("url: %q, ref: {branch: main}, secretRef: {name: login}", s.URL),
	}
	push(t, s, map[string]string{"x/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\n"})
	for name, spec := range git {
		apply(t, s, fmt.Sprintf("{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, metadata: {name: %s}, spec: {interval: 1h, timeout: 5s, %s}}", name, spec))
	}
	for name, spec := range map[string]string{
		"registry":         "secretRef: {name: registry}",
		"registry-garbled": "secretRef: {name: registry-garbled}",
		"registry-proxy":   "proxySecretRef: {name: proxy}",
		"registry-certs":   "certSecretRef: {name: certificates}",
		"registry-cosign":  "verify: {provider: cosign, secretRef: {name: keys}}",
	} {
		apply(t, s, fmt.Sprintf("{apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, metadata: {name: %s}, "+
			"spec: {interval: 1h, timeout: 5s, url: 'oci://127.0.0.1:1/x', %s}}", name, spec))
	}
	until(t, func(ctx context.Context) error { return failed(ctx, s, len(git)+5-1) })
	search(t, s)
}

// failed waits until all but what can be reached have said why they cannot be.
func failed(ctx context.Context, s *lab.Space, want int) error {
	var git sourcev1.GitRepositoryList
	var oci sourcev1.OCIRepositoryList
	if err := s.Client.List(ctx, &git, client.InNamespace(s.Namespace)); err != nil {
		return err
	}
	if err := s.Client.List(ctx, &oci, client.InNamespace(s.Namespace)); err != nil {
		return err
	}
	told, silent := 0, ""
	for _, o := range git.Items {
		if meta.IsStatusConditionFalse(o.Status.Conditions, "Ready") {
			told++
			continue
		}
		silent += " " + o.Name
	}
	for _, o := range oci.Items {
		if meta.IsStatusConditionFalse(o.Status.Conditions, "Ready") {
			told++
			continue
		}
		silent += " " + o.Name
	}
	if told < want {
		return fmt.Errorf("%d of %d sources say why they fail; not yet:%s", told, want, silent)
	}
	return nil
}
