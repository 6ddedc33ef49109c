// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestEdits: what was agreed on is not edited afterwards, and an emergency may
// be made longer, not be turned on somebody else.
func TestEdits(t *testing.T) {
	c := installed(t)
	namespace := cluster.Namespace(t, c)
	client, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		reason   string
		resource schema.GroupVersionResource
		patch    string
		refused  bool
	}{
		"approve another plan":  {"an approval is for one plan", approvals, `{"spec":{"reason":"seen again"}}`, true},
		"move an emergency":     {"open another one", breakGlasses, `{"spec":{"application":"web"}}`, true},
		"prolong an emergency":  {"repairs take longer than planned", breakGlasses, `{"spec":{"until":"2027-01-02T00:00:00Z"}}`, false},
		"raise an application":  {"the ceiling is the owner's", applications, `{"spec":{"stage":"SelfHeal"}}`, false},
		"second renderer later": {"rules hold on updates too", applications, `{"spec":{"render":{"helm":{},"kustomize":{}}}}`, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := minimal(test.resource)
			object.SetName("")
			object.SetGenerateName("edit-")
			made, err := client.Resource(test.resource).Namespace(namespace).Create(t.Context(), object, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Resource(test.resource).Namespace(namespace).
				Patch(t.Context(), made.GetName(), types.MergePatchType, []byte(test.patch), metav1.PatchOptions{})
			named := slices.ContainsFunc(causes(err), func(field string) bool { return field != "" })
			if refused := err != nil; refused != test.refused || refused && !named {
				t.Errorf("%s: got %v, want refused %t and the field named", test.reason, err, test.refused)
			}
		})
	}
}
