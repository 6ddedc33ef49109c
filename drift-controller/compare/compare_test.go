// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// listed writes differences for a reader: kind, pointer, whether Git declares
// it, what Git says and what live has.
func listed(r Result) []string {
	var out []string
	for _, d := range r.Differences {
		line := fmt.Sprintf("%s %s", d.Kind, d.Pointer)
		if d.Declared {
			line += " declared"
		}
		for _, side := range []struct {
			word  string
			value *drift.Value
		}{{" git=", d.Wanted.Report(d.Live)}, {" live=", d.Live.Report(d.Wanted)}} {
			if side.value != nil {
				line += side.word + side.value.JSON
			}
		}
		out = append(out, line)
	}
	return out
}

const (
	configMap  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n"
	deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
)

// podSpec is a Deployment with a template around the given container fields.
func podSpec(container, rest string) string {
	return deployment + "spec: {template: {spec: {containers: [{name: api, image: 'i:1'" + container + "}]" + rest + "}}}\n"
}

func helm(object string) write { return write{manager: "helm", object: object} }
func edit(object string) write { return write{manager: "kubectl-edit", object: object} }

func TestFields(t *testing.T) {
	cases := map[string]struct {
		sample
		want []string
	}{
		"equal": {sample{reason: "live is what Git restores", desired: configMap + "data: {HOST: db}\n", writes: []write{helm(configMap + "data: {HOST: db}\n")}}, nil},
		"changed": {
			sample{reason: "a value is another", desired: configMap + "data: {HOST: db}\n", writes: []write{helm(configMap + "data: {HOST: db}\n"), edit(configMap + "data: {HOST: other}\n")}},
			[]string{`Changed /data/HOST declared git="db" live="other"`},
		},
		"added key": {
			sample{reason: "nobody declares it", desired: configMap + "data: {HOST: db}\n", writes: []write{edit(configMap + "data: {HOST: db, PORT: '1'}\n")}},
			[]string{`Added /data/PORT live="1"`},
		},
		"absent key": {
			sample{reason: "Git declares it and live lacks it", desired: configMap + "data: {HOST: db, PORT: '1'}\n", writes: []write{helm(configMap + "data: {HOST: db}\n")}},
			[]string{`Absent /data/PORT declared git="1"`},
		},
		"whole map": {
			sample{reason: "each key of a free map has its own owner", desired: configMap, writes: []write{edit("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, labels: {x: z, a/b: c}}\ndata: {K: v}\n")}},
			[]string{`Added /data/K live="v"`, `Added /metadata/labels/a~1b live="c"`, `Added /metadata/labels/x live="z"`},
		},
		"whole map absent": {
			sample{reason: "and so when all of it is gone", desired: configMap + "data: {A: '1', B: '2'}\n", writes: []write{helm(configMap)}},
			[]string{`Absent /data/A declared git="1"`, `Absent /data/B declared git="2"`},
		},
		"item added": {
			sample{reason: "one entry, at its topmost path", desired: podSpec("", ""), writes: []write{edit(podSpec(", env: [{name: X, value: '1'}]", ""))}},
			[]string{`Added /spec/template/spec/containers/[name=api]/env/[name=X] live={"name":"X","value":"1"}`},
		},
		"items of a new list": {
			sample{reason: "each item of a keyed list has its own owner", desired: podSpec("", ""), writes: []write{edit(podSpec(", env: [{name: X, value: '1'}, {name: Z, value: '2'}]", ""))}},
			[]string{
				`Added /spec/template/spec/containers/[name=api]/env/[name=X] live={"name":"X","value":"1"}`,
				`Added /spec/template/spec/containers/[name=api]/env/[name=Z] live={"name":"Z","value":"2"}`,
			},
		},
		"order of items": {
			sample{
				reason: "a keyed list has no order of its own", desired: podSpec(", ports: [{containerPort: 1, protocol: TCP}, {containerPort: 2, protocol: UDP}]", ""),
				writes: []write{helm(podSpec(", ports: [{containerPort: 2, protocol: UDP}, {containerPort: 1, protocol: TCP}]", ""))},
			}, nil,
		},
		"field of an item": {
			sample{reason: "the item stands by its key", desired: podSpec("", ""), writes: []write{helm("" + deployment + "spec: {template: {spec: {containers: [{name: api, image: 'i:2'}]}}}\n")}},
			[]string{`Changed /spec/template/spec/containers/[name=api]/image declared git="i:1" live="i:2"`},
		},
		"atomic list": {
			sample{reason: "it is one value", desired: podSpec(", args: [a, b]", ""), writes: []write{edit(podSpec(", args: [b, a]", ""))}},
			[]string{`Changed /spec/template/spec/containers/[name=api]/args declared git=["a","b"] live=["b","a"]`},
		},
		"empty map declares nothing": {
			sample{reason: "emptyDir: {} is a choice of the kind of volume", desired: podSpec("", ", volumes: [{name: v, emptyDir: {}}]"), writes: []write{edit(podSpec("", ", volumes: [{name: v, emptyDir: {medium: Memory}}]"))}},
			[]string{`Added /spec/template/spec/volumes/[name=v]/emptyDir/medium live="Memory"`},
		},
		"in Git's words": {
			sample{
				reason: "who looks for 1000m does not find 1", desired: podSpec(", resources: {limits: {cpu: 1000m}}", ""),
				writes: []write{edit(podSpec(", resources: {limits: {cpu: '2'}}", ""))}, overRestored: `spec: {template: {spec: {containers: [{name: api, image: 'i:1', resources: {limits: {cpu: '1'}}}]}}}`,
			},
			[]string{`Changed /spec/template/spec/containers/[name=api]/resources/limits/cpu declared git="1000m" live="2"`},
		},
		"default": {
			sample{reason: "what both have is no difference", desired: podSpec("", ""), writes: []write{helm(podSpec("", ""))}, overRestored: "spec: {progressDeadlineSeconds: 600}", overLive: "spec: {progressDeadlineSeconds: 600}"}, nil,
		},
		"default that live lacks": {
			sample{reason: "it is Git's in no sense", desired: podSpec("", ""), writes: []write{helm(podSpec("", ""))}, overRestored: "spec: {progressDeadlineSeconds: 600}"},
			[]string{"Absent /spec/progressDeadlineSeconds git=600"},
		},
		"status": {
			sample{reason: "it is nobody's declaration", desired: podSpec("", ""), writes: []write{helm(podSpec("", ""))}, overLive: "status: {replicas: 3}"}, nil,
		},
		"identity": {
			sample{reason: "what identifies the stored object is not its content", desired: configMap, writes: []write{helm(configMap)}, overLive: "metadata: {uid: u, resourceVersion: '7', generation: 3, creationTimestamp: '2026-01-01T00:00:00Z', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 3}"}, nil,
		},
		"stringData": {
			sample{
				reason: "the server books it as stringData and stores it as data", desired: "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {PW: hunter2}\n",
				writes: []write{edit("apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\ndata: {PW: b3RoZXI=}\n")}, overRestored: "{data: {PW: aHVudGVyMg==}, stringData: null}",
			},
			[]string{`Changed /data/PW declared git="(masked ` + testKey.Digest("aHVudGVyMg==") + `)" live="(masked ` + testKey.Digest("b3RoZXI=") + `)"`},
		},
		"custom resource": {
			sample{reason: "without a schema lists are one value, and maps are not", types: custom, desired: "apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: {a: 1}, l: [1, 2]}\n", writes: []write{edit("apiVersion: x/v1\nkind: T\nmetadata: {name: a}\nspec: {m: {a: 2, b: true}, l: [1]}\n")}},
			[]string{"Changed /spec/l declared git=[1,2] live=[1]", "Changed /spec/m/a declared git=1 live=2", "Added /spec/m/b live=true"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := Fields(tc.input(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, listed(r)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
