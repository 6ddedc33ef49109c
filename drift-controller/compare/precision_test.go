// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

const (
	service  = "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\n"
	secretOf = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}\n"
	policy   = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: shop}\n"
)

func TestInPlace(t *testing.T) {
	cases := map[string]struct {
		sample
		want []string
	}{
		"added by hand": {
			sample{reason: "an apply over live keeps it; Git would not restore it", desired: configMap + "data: {A: '1'}\n", writes: []write{helm(configMap + "data: {A: '1'}\n"), edit(configMap + "data: {A: '1', B: '2'}\n")}},
			[]string{`Added /data/B live="2"`},
		},
		"changed by hand": {
			sample{reason: "a forced apply takes it back", desired: configMap + "data: {A: '1'}\n", writes: []write{edit(configMap + "data: {A: '2'}\n")}},
			[]string{`Changed /data/A declared git="1" live="2"`},
		},
		"a controller's": {
			sample{reason: "what a controller put there it would put there again", desired: podSpec("", ""), writes: []write{helm(podSpec("", "")), {manager: "reloader", object: strings.Replace(podSpec("", ""), "spec: {template: {", "spec: {template: {metadata: {annotations: {r: s}}, ", 1)}}},
			nil,
		},
		"unowned key": {
			sample{reason: "free maps have no defaults", desired: configMap, writes: []write{helm(configMap)}, overLive: "metadata: {labels: {a: b}}"},
			[]string{`Added /metadata/labels/a live="b"`},
		},
		"whole struct by hand": {
			sample{reason: "one entry, at its topmost path", desired: podSpec("", ""), writes: []write{helm(podSpec("", "")), edit(podSpec(", securityContext: {runAsUser: 0, privileged: true}", ""))}},
			[]string{`Added /spec/template/spec/containers/[name=api]/securityContext live={"privileged":true,"runAsUser":0}`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.precision = drift.PrecisionInPlace
			r, err := Fields(tc.input(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, listed(r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(r.Uncertain) > 0 {
				t.Errorf("%s: uncertain: %v", tc.reason, r.Uncertain)
			}
		})
	}
}

func TestDeclaredFields(t *testing.T) {
	cases := map[string]struct {
		sample
		want      []string
		uncertain string // words of the first doubt; empty: none
	}{
		"equal":    {sample{reason: "defaults of live are nobody's difference", desired: podSpec("", ""), writes: []write{helm(podSpec("", ""))}, overLive: "spec: {progressDeadlineSeconds: 600}"}, nil, ""},
		"changed":  {sample{reason: "a declared field", desired: configMap + "data: {A: '1'}\n", writes: []write{edit(configMap + "data: {A: '2'}\n")}}, []string{`Changed /data/A declared git="1" live="2"`}, ""},
		"absent":   {sample{reason: "a declared field that is gone", desired: configMap + "data: {A: '1', B: '2'}\n", writes: []write{helm(configMap + "data: {B: '2'}\n")}}, []string{`Absent /data/A declared git="1"`}, ""},
		"quantity": {sample{reason: "read by the built-in types", desired: podSpec(", resources: {limits: {cpu: 1000m, memory: 1024Mi}}", ""), writes: []write{helm(podSpec(", resources: {limits: {cpu: '1', memory: 1Gi}}", ""))}}, nil, ""},
		"null":     {sample{reason: "null is to leave it out", desired: configMap + "data: {A: null, B: '2'}\n", writes: []write{helm(configMap + "data: {B: '2'}\n")}}, nil, ""},
		"stringData": {
			sample{reason: "it is data after a write", desired: secretOf + "stringData: {A: hunter2}\n", writes: []write{helm(secretOf + "data: {A: aHVudGVyMg==}\n")}}, nil, "",
		},
		"stringData by hand": {
			sample{reason: "a key that came in as stringData is owned there", desired: secretOf + "data: {A: YQ==}\n", writes: []write{helm(secretOf + "data: {A: YQ==}\n"), {manager: "kubectl", apply: true, object: secretOf + "stringData: {B: hunter2}\n"}}, overLive: "{data: {A: YQ==, B: aHVudGVyMg==}, stringData: null}"},
			[]string{`Added /data/B live="(masked ` + testKey.Digest("aHVudGVyMg==") + `)"`}, "",
		},
		"null, and set": {
			sample{reason: "who set it cannot be told", desired: deployment + "spec: {minReadySeconds: null, revisionHistoryLimit: 2}\n", writes: []write{helm(deployment + "spec: {revisionHistoryLimit: 2}\n"), {manager: "some-operator", object: deployment + "spec: {minReadySeconds: 5, revisionHistoryLimit: 2}\n"}}},
			nil, "/spec/minReadySeconds is declared null",
		},
		"base64 with breaks": {sample{reason: "the same bytes", desired: secretOf + "data: {A: \"aHVu\\ndGVyMg==\"}\n", writes: []write{helm(secretOf + "data: {A: aHVudGVyMg==}\n")}}, nil, ""},
		"added by hand": {
			sample{reason: "what a human tool owns is shown", desired: podSpec("", ""), writes: []write{helm(podSpec("", "")), edit(podSpec(", env: [{name: X, value: '1'}]", ""))}},
			[]string{`Added /spec/template/spec/containers/[name=api]/env/[name=X] live={"name":"X","value":"1"}`}, "",
		},
		"created by hand": {
			sample{reason: "no server pauses a Deployment by default", desired: podSpec("", ""), writes: []write{{manager: "kubectl-create", object: strings.Replace(podSpec("", ""), "spec: {", "spec: {paused: true, ", 1)}}},
			[]string{"Added /spec/paused live=true"}, "",
		},
		"kubectl's own record": {
			sample{
				reason: "what the last applied manifest says was set, not defaulted", desired: podSpec("", ""),
				writes: []write{{manager: "kubectl-client-side-apply", object: strings.Replace(
					strings.Replace(podSpec("", ""), "namespace: shop}", `namespace: shop, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"paused":true}}'}}`, 1),
					"spec: {", "spec: {minReadySeconds: 3, paused: true, ", 1)}},
			},
			[]string{`Added /metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration live="(masked ` + testKey.Digest(`{"spec":{"paused":true}}`) + `)"`, "Added /spec/paused live=true"}, "",
		},
		"a controller's": {
			sample{reason: "Git is silent, and without a dry run so are we", desired: configMap, writes: []write{helm(configMap), {manager: "reflector", object: configMap + "data: {A: '1'}\n"}}}, nil, "",
		},
		"atomic list, defaulted": {
			sample{reason: "the server fills in fields of its items", desired: policy + "spec: {ingress: [{ports: [{port: 80}]}], podSelector: {}}\n", writes: []write{helm(policy + "spec: {ingress: [{ports: [{port: 80, protocol: TCP}]}], podSelector: {}}\n")}}, nil, "",
		},
		"atomic list, changed": {
			sample{reason: "a declared part of it is another", desired: policy + "spec: {ingress: [{ports: [{port: 80}]}], podSelector: {}}\n", writes: []write{edit(policy + "spec: {ingress: [{ports: [{port: 81, protocol: TCP}]}], podSelector: {}}\n")}},
			[]string{`Changed /spec/ingress declared git=[{"ports":[{"port":80}]}] live=[{"ports":[{"port":81,"protocol":"TCP"}]}]`}, "",
		},
		"atomic map": {
			sample{reason: "people choose its keys, so the server fills in none", desired: service + "spec: {selector: {app: a}}\n", writes: []write{helm(service + "spec: {selector: {app: a, tier: b}}\n")}},
			[]string{`Changed /spec/selector declared git={"app":"a"} live={"app":"a","tier":"b"}`}, "",
		},
		"atomic list, by hand": {
			sample{reason: "no server fills in an end of a range", desired: policy + "spec: {ingress: [{ports: [{port: 80}]}], podSelector: {}}\n", writes: []write{helm(policy + "spec: {podSelector: {}}\n"), edit(policy + "spec: {ingress: [{ports: [{port: 80, endPort: 90}]}], podSelector: {}}\n")}},
			[]string{`Changed /spec/ingress declared git=[{"ports":[{"port":80}]}] live=[{"ports":[{"endPort":90,"port":80}]}]`}, "",
		},
		"atomic list, a controller": {
			sample{reason: "whoever wrote it", desired: policy + "spec: {ingress: [{ports: [{port: 80}]}], podSelector: {}}\n", writes: []write{helm(policy + "spec: {podSelector: {}}\n"), {manager: "some-operator", object: policy + "spec: {ingress: [{ports: [{port: 80, endPort: 90}]}], podSelector: {}}\n"}}},
			[]string{`Changed /spec/ingress declared git=[{"ports":[{"port":80}]}] live=[{"ports":[{"endPort":90,"port":80}]}]`}, "",
		},
		"atomic list, a deployer": {
			sample{reason: "it was equal once: a pipeline that sets more than Git declares is no default", desired: policy + "spec: {ingress: [{ports: [{port: 80}]}], podSelector: {}}\n", writes: []write{helm(policy + "spec: {ingress: [{ports: [{port: 80, endPort: 90}]}], podSelector: {}}\n")}},
			[]string{`Changed /spec/ingress declared git=[{"ports":[{"port":80}]}] live=[{"ports":[{"endPort":90,"port":80}]}]`}, "",
		},
		"a default by hand": {
			sample{reason: "who writes what the server writes anyway changes nothing", desired: podSpec("", ""), writes: []write{helm(podSpec("", "")), {manager: "kubectl", apply: true, object: deployment + "spec: {revisionHistoryLimit: 10, strategy: {type: RollingUpdate}}\n"}}}, nil, "",
		},
		"no default by hand": {
			sample{reason: "and another value does", desired: podSpec("", ""), writes: []write{helm(podSpec("", "")), {manager: "kubectl", apply: true, object: deployment + "spec: {revisionHistoryLimit: 9, strategy: {type: Recreate}}\n"}}},
			[]string{"Added /spec/revisionHistoryLimit live=9", `Added /spec/strategy/type live="Recreate"`}, "",
		},
		"probe by hand": {
			sample{reason: "one entry, with what the server filled into it", desired: podSpec("", ""), writes: []write{helm(podSpec("", "")), edit(podSpec(", livenessProbe: {httpGet: {port: 80, path: /, scheme: HTTP}, periodSeconds: 10}", ""))}},
			[]string{`Added /spec/template/spec/containers/[name=api]/livenessProbe live={"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10}`}, "",
		},
		"computed": {
			sample{reason: "what follows from what stands beside it is a default", desired: podSpec("", ""), writes: []write{{manager: "kubectl-create", object: podSpec(", imagePullPolicy: IfNotPresent, resources: {}", "")}}}, nil, "",
		},
		"computed, and set": {
			sample{reason: "another policy than the one that follows was set", desired: podSpec("", ""), writes: []write{{manager: "kubectl-create", object: podSpec(", imagePullPolicy: Always", "")}}},
			[]string{`Added /spec/template/spec/containers/[name=api]/imagePullPolicy live="Always"`}, "",
		},
		"zero": {
			sample{reason: "the server stores no zero there, but another value is one", desired: deployment + "spec: {minReadySeconds: 0, revisionHistoryLimit: 2}\n", writes: []write{helm(deployment + "spec: {revisionHistoryLimit: 2}\n"), {manager: "some-operator", object: deployment + "spec: {minReadySeconds: 5, revisionHistoryLimit: 2}\n"}}},
			nil, "/spec/minReadySeconds is declared empty",
		},
		"zero, left out": {
			sample{reason: "to the server it is the same", desired: deployment + "spec: {minReadySeconds: 0, revisionHistoryLimit: 2}\n", writes: []write{helm(deployment + "spec: {revisionHistoryLimit: 2}\n")}}, nil, "",
		},
		"no bookkeeping": {
			sample{reason: "without managedFields nobody can be told from defaults", desired: configMap, writes: []write{helm(configMap)}, overLive: "metadata: {managedFields: null}"}, nil, "no managedFields",
		},
		"unknown field": {
			sample{reason: "the server drops it, and so do we", desired: podSpec(", imagePullPolice: Always", ""), writes: []write{helm(podSpec("", ""))}}, nil, "",
		},
		"custom resource, null over what we applied": {
			sample{reason: "the server may clear it, fill it in, or refuse the whole", types: custom, desired: "apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: null, n: 1}\n", writes: []write{{manager: "drift-controller", apply: true, object: "apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: {a: b}, n: 1}\n"}}},
			nil, "/spec/m is declared null",
		},
		"custom resource": {
			sample{reason: "maps are read field by field", types: custom, desired: "apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: {a: 1}}\n", writes: []write{helm("apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: {a: 1}}\n"), edit("apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: {a: 2}}\n")}},
			[]string{"Changed /spec/m/a declared git=1 live=2"}, "",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.precision = drift.PrecisionDeclaredFields
			r, err := Fields(tc.input(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, listed(r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			doubts := fmt.Sprint(r.Uncertain)
			if (doubts == "[]") != (tc.uncertain == "") || !strings.Contains(doubts, tc.uncertain) {
				t.Errorf("%s: want doubt %q, got %q", tc.reason, tc.uncertain, doubts)
			}
		})
	}
}

// TestWhatCannotBeTyped: the words name the object and the field, never the
// value: they end up in a status.
func TestWhatCannotBeTyped(t *testing.T) {
	const value = 987654321
	set := func(in map[string]any, path ...string) {
		_ = unstructured.SetNestedField(in, int64(value), path...)
	}
	cases := map[string]struct {
		reason string
		sample
		spoil func(*Input)
		words string
	}{
		"live": {"a stored object of an older schema", sample{desired: configMap, writes: []write{helm(configMap)}}, func(in *Input) { set(in.Observation.Live.Object, "data", "A") }, "live ConfigMap shop/a"},
		"restored": {
			"an answer that does not fit the schema at hand", sample{desired: configMap, writes: []write{helm(configMap)}}, func(in *Input) { set(in.Observation.Restored.Object, "data", "A") }, "restored form of ConfigMap shop/a",
		},
		"declared, built-in": {
			"a manifest with a number for a text", sample{desired: configMap, writes: []write{helm(configMap)}, precision: drift.PrecisionDeclaredFields}, func(in *Input) { set(in.Desired.Object, "data", "A") }, "field data",
		},
		"declared, by schema": {
			"the same where no Go type knows it", sample{desired: secretOf, writes: []write{helm(secretOf)}, precision: drift.PrecisionDeclaredFields, types: Types{Schema: builtIn.Schema}}, func(in *Input) { set(in.Desired.Object, "stringData", "A") }, ".stringData.A",
		},
		"bookkeeping": {"managedFields that nobody can read", sample{desired: configMap, writes: []write{helm(configMap)}}, func(in *Input) {
			_ = unstructured.SetNestedSlice(in.Observation.Live.Object, []any{map[string]any{"manager": "m", "fieldsV1": map[string]any{"x": map[string]any{}}}}, "metadata", "managedFields")
		}, "managedFields of ConfigMap a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := tc.input(t)
			tc.spoil(&in)
			_, err := Fields(in)
			if err == nil {
				t.Fatalf("%s: want an error, for its verdict is Unknown", tc.reason)
			}
			if !strings.Contains(err.Error(), tc.words) || strings.Contains(err.Error(), "98765") {
				t.Errorf("%s: want %q and no value, got %q", tc.reason, tc.words, err)
			}
		})
	}
}

// TestDeclaredDigests: what the inventory remembers is what live has where Git
// and live agree, at every precision; a baseline must not change with a right.
func TestDeclaredDigests(t *testing.T) {
	s := sample{
		desired:      policy + "spec: {ingress: [{ports: [{port: 80}]}], podSelector: {}}\n",
		writes:       []write{helm(policy + "spec: {ingress: [{ports: [{port: 80, protocol: TCP}]}], podSelector: {}}\n")},
		overRestored: "spec: {ingress: [{ports: [{port: 80, protocol: TCP}]}]}",
	}
	digests := func(p drift.Precision) map[string]string {
		s.precision = p
		in := s.input(t)
		r, err := Fields(in)
		if err != nil || len(r.Differences) > 0 {
			t.Fatalf("%s: %v %v", p, err, listed(r))
		}
		for pointer := range r.Declared {
			if !strings.HasPrefix(pointer, "/spec/") {
				delete(r.Declared, pointer)
			}
		}
		return r.Declared
	}
	want := digests(drift.PrecisionRestored)
	if len(want) != 2 || want["/spec/ingress"] == "" {
		t.Fatalf("want two declared leaves, got %v", want)
	}
	if diff := cmp.Diff(want, digests(drift.PrecisionDeclaredFields)); diff != "" {
		t.Errorf("DeclaredFields (-Restored +got):\n%s", diff)
	}
	for pointer, digest := range want {
		if strings.Contains(digest, "TCP") || len(digest) != 16 {
			t.Errorf("%s: %q is no digest", pointer, digest)
		}
	}
}

// TestMaskedWhereItIsBorn: a secret that Git wants makes the live value one,
// however plain it looks, and a tainted text is hidden on both sides.
func TestMaskedWhereItIsBorn(t *testing.T) {
	s := sample{desired: configMap + "data: {DSN: 'pw fr0m-vault', HOST: db}\n", writes: []write{edit(configMap + "data: {DSN: plain, HOST: db2}\n")}}
	in := s.input(t)
	in.Mask = mask.Scope{Key: testKey, Tainted: []string{"fr0m-vault"}}
	r, err := Fields(in)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`Changed /data/DSN declared git="` + mask.Token(testKey.Digest("pw fr0m-vault")) + `" live="` + mask.Token(testKey.Digest("plain")) + `"`,
		`Changed /data/HOST declared git="db" live="db2"`,
	}
	if diff := cmp.Diff(want, listed(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
