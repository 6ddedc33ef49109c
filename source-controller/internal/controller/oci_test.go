// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/authn"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/cloud"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/layer"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocitest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

const registryPassword = "r3gistry-p4ss"

// named answers for Secrets and service accounts by name.
type named map[string]client.Object

func (n named) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	switch found := n[key.Name].(type) {
	case *corev1.Secret:
		if want, ok := obj.(*corev1.Secret); ok {
			*want = *found
			want.Name, want.Namespace = key.Name, key.Namespace
			return nil
		}
	case *corev1.ServiceAccount:
		if want, ok := obj.(*corev1.ServiceAccount); ok {
			*want = *found
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: "things"}, key.Name)
}

func (n named) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nothing lists")
}

func pullSecret(host, password string) *corev1.Secret {
	return &corev1.Secret{Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{
		corev1.DockerConfigJsonKey: []byte(`{"auths":{"` + host + `":{"username":"robot","password":"` + password + `"}}}`),
	}}
}

// fakeCloud gives one login, or none.
type fakeCloud struct {
	config authn.AuthConfig
	err    error
	asked  []cloud.Request
}

func (f *fakeCloud) Login(_ context.Context, request cloud.Request) (authn.AuthConfig, error) {
	f.asked = append(f.asked, request)
	return f.config, f.err
}

func newOCI(t testing.TB, objects named, clouds ociaccess.Logins) *ociKind {
	t.Helper()
	registries, err := ociremote.Open(ociremote.Config{Root: t.TempDir(), UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = registries.Close() })
	return &ociKind{
		access:     &ociaccess.Access{Reader: objects, Clouds: clouds},
		registries: registries,
		limits:     layer.Limits{Bytes: 1 << 20, Entries: 1000},
		now:        time.Now,
	}
}

func ociSource(registry *ocitest.Registry, change func(*sourcev1.OCIRepository)) *sourcev1.OCIRepository {
	obj := &sourcev1.OCIRepository{ObjectMeta: metav1.ObjectMeta{Namespace: "apps", Name: "prod", Generation: 1}}
	obj.Spec.URL = "oci://" + registry.Host + "/app"
	obj.Spec.Timeout = &metav1.Duration{Duration: 30 * time.Second}
	if change != nil {
		change(obj)
	}
	return obj
}

// pull makes one look at a source and gives what it would store.
func pull(t *testing.T, oci *ociKind, obj *sourcev1.OCIRepository) (content, []byte, *status.Failure) {
	t.Helper()
	target, failure := oci.resolve(t.Context(), obj)
	if failure != nil {
		return content{}, nil, failure
	}
	got, failure := target.fetch(t.Context())
	if failure != nil {
		return content{}, nil, failure
	}
	t.Cleanup(got.close)
	if got.revision != target.revision {
		t.Errorf("resolved %s, fetched %s", target.revision, got.revision)
	}
	var packed bytes.Buffer
	if err := got.write(&packed); err != nil {
		return content{}, nil, got.failure(err)
	}
	return got, packed.Bytes(), nil
}

func TestPullRevisions(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{})
	a := registry.Push(t, "app", "1.0.0", ocitest.Files(t, map[string]string{"a.yaml": "A"}))
	b := registry.Push(t, "app", "1.10.0", ocitest.Files(t, map[string]string{"a.yaml": "B", "docs/x.png": "P"}))
	registry.Push(t, "app", "latest", ocitest.Files(t, map[string]string{"a.yaml": "B", "docs/x.png": "P"}))
	chart := registry.Push(t, "app", "2.0.0", ocitest.Artifact{Layers: []ocitest.Layer{
		{MediaType: "application/vnd.cncf.helm.chart.provenance.v1.prov", Bytes: []byte("signed")},
		{MediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", Bytes: ocitest.Tarball(t, ocitest.Entries(map[string]string{"chart/Chart.yaml": "name: c"})...)},
	}})
	ignore := "!*.png"
	select1 := func(operation string) *sourcev1.OCILayerSelector {
		return &sourcev1.OCILayerSelector{MediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", Operation: operation}
	}
	tests := map[string]struct {
		reason   string
		change   func(*sourcev1.OCIRepository)
		revision string
		want     map[string]string
	}{
		"nothing": {"the tag latest, without pictures", nil, "latest@" + b.Digest.String(), map[string]string{"a.yaml": "B"}},
		"tag":     {"as named", func(o *sourcev1.OCIRepository) { o.Spec.Reference = &sourcev1.OCIRepositoryRef{Tag: "1.0.0"} }, "1.0.0@" + a.Digest.String(), map[string]string{"a.yaml": "A"}},
		"range":   {"the highest", func(o *sourcev1.OCIRepository) { o.Spec.Reference = &sourcev1.OCIRepositoryRef{SemVer: "1.x"} }, "1.10.0@" + b.Digest.String(), map[string]string{"a.yaml": "B"}},
		"digest": {"beats a tag that moved on", func(o *sourcev1.OCIRepository) {
			o.Spec.Reference = &sourcev1.OCIRepositoryRef{Tag: "latest", Digest: a.Digest.String()}
		}, a.Digest.String(), map[string]string{"a.yaml": "A"}},
		"ignore": {"one pattern turns the defaults off", func(o *sourcev1.OCIRepository) { o.Spec.Ignore = &ignore }, "latest@" + b.Digest.String(), map[string]string{"a.yaml": "B", "docs/x.png": "P"}},
		"chart": {"its layer by media type", func(o *sourcev1.OCIRepository) {
			o.Spec.Reference = &sourcev1.OCIRepositoryRef{Tag: "2.0.0"}
			o.Spec.LayerSelector = select1("")
		}, "2.0.0@" + chart.Digest.String(), map[string]string{"chart/Chart.yaml": "name: c"}},
		"copy": {"the bytes of the layer; nothing is ignored", func(o *sourcev1.OCIRepository) {
			o.Spec.Reference = &sourcev1.OCIRepositoryRef{Tag: "2.0.0"}
			o.Spec.LayerSelector = select1(sourcev1.OCILayerCopy)
			all := "*"
			o.Spec.Ignore = &all
		}, "2.0.0@" + chart.Digest.String(), map[string]string{"chart/Chart.yaml": "name: c"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, packed, failure := pull(t, newOCI(t, nil, nil), ociSource(registry, tc.change))
			if failure != nil {
				t.Fatalf("%s: %v", tc.reason, failure.Halt)
			}
			digest := tc.revision[strings.LastIndex(tc.revision, "@")+1:]
			if got.revision != tc.revision || got.file != digest+".tar.gz" {
				t.Errorf("%s: got %s in %s", tc.reason, got.revision, got.file)
			}
			if diff := cmp.Diff(tc.want, unpacked(t, packed)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	got, _, failure := pull(t, newOCI(t, nil, nil), ociSource(registry, nil))
	if failure != nil || got.metadata["org.opencontainers.image.source"] == "" {
		t.Errorf("the manifest's annotations are the artifact's metadata, got %v", got.metadata)
	}
}

func TestPullFailures(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{Username: "robot", Password: registryPassword})
	registry.Push(t, "app", "latest", ocitest.Files(t, map[string]string{"a.yaml": "A"}))
	registry.Push(t, "app", "hostile", ocitest.Artifact{Layers: []ocitest.Layer{{MediaType: ocitest.FluxLayer, Bytes: ocitest.Tarball(t, ocitest.Entries(map[string]string{"../x": ""})...)}}})
	registry.Push(t, "app", "text", ocitest.Artifact{Layers: []ocitest.Layer{{MediaType: "text/plain", Bytes: []byte(strings.Repeat("hello ", 200))}}})
	registry.Push(t, "app", "big", ocitest.Files(t, map[string]string{"a": strings.Repeat("x", 2<<20)}))
	objects := named{
		"good":    pullSecret(registry.Host, registryPassword),
		"wrong":   pullSecret(registry.Host, "wr0ng"),
		"garbage": &corev1.Secret{Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{corev1.DockerConfigJsonKey: []byte("{" + registryPassword)}},
		"opaque":  &corev1.Secret{Data: map[string][]byte{"address": []byte("ftp://" + registryPassword)}},
		"dangles": &corev1.ServiceAccount{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "none"}}},
		"bare":    &corev1.ServiceAccount{},
	}
	with := func(secret string, more func(*sourcev1.OCIRepositorySpec)) func(*sourcev1.OCIRepository) {
		return func(o *sourcev1.OCIRepository) {
			o.Spec.SecretRef = &meta.LocalObjectReference{Name: secret}
			if more != nil {
				more(&o.Spec)
			}
		}
	}
	tag := func(name string) func(*sourcev1.OCIRepository) {
		return with("good", func(s *sourcev1.OCIRepositorySpec) { s.Reference = &sourcev1.OCIRepositoryRef{Tag: name} })
	}
	tests := map[string]struct {
		reason    string
		change    func(*sourcev1.OCIRepository)
		kind      halt.Kind
		condition string
		want      string
	}{
		"no scheme":       {"only another spec helps", func(o *sourcev1.OCIRepository) { o.Spec.URL = "https://h/x" }, halt.Stalled, sourcev1.FetchFailedCondition, sourcev1.URLInvalidReason},
		"tag in url":      {"same", func(o *sourcev1.OCIRepository) { o.Spec.URL += ":v1" }, halt.Stalled, sourcev1.FetchFailedCondition, sourcev1.URLInvalidReason},
		"no secret":       {"it may still come", with("none", nil), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"garbage":         {"no configuration", with("garbage", nil), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"wrong password":  {"the registry refuses", with("wrong", nil), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCIPullFailedReason},
		"anonymous":       {"same", nil, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCIPullFailedReason},
		"no account":      {"it may still come", func(o *sourcev1.OCIRepository) { o.Spec.ServiceAccountName = "none" }, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"account dangles": {"its Secret is missing", func(o *sourcev1.OCIRepository) { o.Spec.ServiceAccountName = "dangles" }, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"gate":            {"an administrator's choice", func(o *sourcev1.OCIRepository) { o.Spec.Provider, o.Spec.ServiceAccountName = "aws", "bare" }, halt.Stalled, "", meta.FeatureGateDisabledReason},
		"no cloud":        {"no login", func(o *sourcev1.OCIRepository) { o.Spec.Provider = "gcp" }, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCIPullFailedReason},
		"proxy":           {"no address", func(o *sourcev1.OCIRepository) { o.Spec.ProxySecretRef = &meta.LocalObjectReference{Name: "opaque"} }, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"certificates":    {"none in it", func(o *sourcev1.OCIRepository) { o.Spec.CertSecretRef = &meta.LocalObjectReference{Name: "opaque"} }, halt.Retry, sourcev1.FetchFailedCondition, sourcev1.AuthenticationFailedReason},
		"no tag":          {"a push helps", tag("v9"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCIPullFailedReason},
		"bad range":       {"not understood", with("good", func(s *sourcev1.OCIRepositorySpec) { s.Reference = &sourcev1.OCIRepositoryRef{SemVer: "%"} }), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.ReadOperationFailedReason},
		"no version":      {"a push helps", with("good", func(s *sourcev1.OCIRepositorySpec) { s.Reference = &sourcev1.OCIRepositoryRef{SemVer: "9.x"} }), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.ReadOperationFailedReason},
		"no layer":        {"another media type", with("good", func(s *sourcev1.OCIRepositorySpec) { s.LayerSelector = &sourcev1.OCILayerSelector{MediaType: "x/y"} }), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCILayerOperationFailedReason},
		"hostile":         {"would leave the folder", tag("hostile"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCILayerOperationFailedReason},
		"text":            {"no archive", tag("text"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCILayerOperationFailedReason},
		"too large":       {"above the limit", tag("big"), halt.Retry, sourcev1.FetchFailedCondition, sourcev1.OCILayerOperationFailedReason},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			oci := newOCI(t, objects, &fakeCloud{err: errors.New("no metadata server")})
			_, _, failure := pull(t, oci, ociSource(registry, tc.change))
			if failure == nil {
				t.Fatalf("%s: no failure", tc.reason)
			}
			if failure.Halt.Kind != tc.kind || failure.Condition != tc.condition || failure.Halt.Reason != tc.want {
				t.Errorf("%s: got %s %q %s (%v)", tc.reason, failure.Halt.Kind, failure.Condition, failure.Halt.Reason, failure.Halt)
			}
			for _, value := range []string{registryPassword, "wr0ng"} {
				if strings.Contains(failure.Halt.Error(), value) {
					t.Errorf("the message carries a value: %v", failure.Halt)
				}
			}
		})
	}
}

func TestWhoseLoginCounts(t *testing.T) {
	registry := ocitest.Serve(t, ocitest.Options{Username: "robot", Password: registryPassword})
	registry.Push(t, "app", "latest", ocitest.Files(t, map[string]string{"a.yaml": "A"}))
	login := authn.AuthConfig{Username: "robot", Password: registryPassword}
	objects := named{
		"good":    pullSecret(registry.Host, registryPassword),
		"prefix":  pullSecret("https://"+registry.Host+"/app", registryPassword),
		"other":   pullSecret("other.example", "x"),
		"account": &corev1.ServiceAccount{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "other"}, {Name: "good"}}},
		"bare":    &corev1.ServiceAccount{},
	}
	tests := map[string]struct {
		reason string
		change func(*sourcev1.OCIRepositorySpec)
		gate   bool
		cloud  int
	}{
		"secret":   {"of the object", func(s *sourcev1.OCIRepositorySpec) { s.SecretRef = &meta.LocalObjectReference{Name: "good"} }, false, 0},
		"by path":  {"an entry for a part of the registry", func(s *sourcev1.OCIRepositorySpec) { s.SecretRef = &meta.LocalObjectReference{Name: "prefix"} }, false, 0},
		"account":  {"its pull secrets are merged", func(s *sourcev1.OCIRepositorySpec) { s.ServiceAccountName = "account" }, false, 0},
		"provider": {"where there is no pull secret", func(s *sourcev1.OCIRepositorySpec) { s.Provider = "aws" }, false, 1},
		"secret beats": {"the provider", func(s *sourcev1.OCIRepositorySpec) {
			s.Provider, s.SecretRef = "aws", &meta.LocalObjectReference{Name: "good"}
		}, false, 0},
		"account, provider": {"acts as it at the provider", func(s *sourcev1.OCIRepositorySpec) { s.Provider, s.ServiceAccountName = "azure", "bare" }, true, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			clouds := &fakeCloud{config: login}
			oci := newOCI(t, objects, clouds)
			oci.access.ObjectIdentity = tc.gate
			_, packed, failure := pull(t, oci, ociSource(registry, func(o *sourcev1.OCIRepository) { tc.change(&o.Spec) }))
			if failure != nil {
				t.Fatalf("%s: %v", tc.reason, failure.Halt)
			}
			if len(packed) == 0 || len(clouds.asked) != tc.cloud {
				t.Errorf("%s: %d bytes, the cloud was asked %d times", tc.reason, len(packed), len(clouds.asked))
			}
		})
	}
}

func TestOCIContentChanged(t *testing.T) {
	text := "a"
	tests := map[string]struct {
		reason string
		change func(*sourcev1.OCIRepository)
		want   bool
	}{
		"nothing":       {"same", nil, false},
		"ignore":        {"packs other files", func(o *sourcev1.OCIRepository) { o.Spec.Ignore = &text }, true},
		"selector":      {"another layer", func(o *sourcev1.OCIRepository) { o.Spec.LayerSelector = &sourcev1.OCILayerSelector{} }, true},
		"selector gone": {"the first layer again", func(o *sourcev1.OCIRepository) { o.Status.ObservedLayerSelector = &sourcev1.OCILayerSelector{} }, true},
		"selector same": {"the value counts", func(o *sourcev1.OCIRepository) {
			o.Spec.LayerSelector, o.Status.ObservedLayerSelector = &sourcev1.OCILayerSelector{Operation: "copy"}, &sourcev1.OCILayerSelector{Operation: "copy"}
		}, false},
	}
	registry := &ocitest.Registry{Host: "h"}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := ociContentChanged(ociSource(registry, tc.change)); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
}

// TestBrokenCopyIsNotStored: a copy is written while it is read, and only the
// end tells whether it was the right one.
func TestBrokenCopyIsNotStored(t *testing.T) {
	err := unpackFailure(&os.PathError{Op: "write", Err: os.ErrPermission})
	if err.Condition != sourcev1.StorageOperationFailedCondition {
		t.Errorf("our own disk is no fault of the registry: %v", err)
	}
	if got := unpackFailure(archive.ErrHostile); got.Condition != sourcev1.FetchFailedCondition {
		t.Errorf("a hostile layer is no fault of the disk: %v", got)
	}
	if words := slices.Sorted(maps.Keys(map[string]string{"digest": ""})); (&ociKind{}).words().noun != words[0] {
		t.Error("an OCI artifact is told by its digest")
	}
}
