// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"os"
	"strings"
	"testing"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// shipped reads the policy as the manifests have it.
func shipped(t *testing.T) (*admissionregistration.ValidatingAdmissionPolicy, *admissionregistration.ValidatingAdmissionPolicyBinding) {
	t.Helper()
	text, err := os.ReadFile("../../../../config/policy/observers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(string(text), "\n---\n")
	policy, binding := &admissionregistration.ValidatingAdmissionPolicy{}, &admissionregistration.ValidatingAdmissionPolicyBinding{}
	if err := yaml.UnmarshalStrict([]byte(first), policy); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(second), binding); err != nil {
		t.Fatal(err)
	}
	return policy, binding
}

type (
	policySpec  = admissionregistration.ValidatingAdmissionPolicySpec
	bindingSpec = admissionregistration.ValidatingAdmissionPolicyBindingSpec
)

func TestProblem(t *testing.T) {
	ignore, namespaced := admissionregistration.Ignore, admissionregistration.NamespacedScope
	some := &metav1.LabelSelector{MatchLabels: map[string]string{"watched": "yes"}}
	cases := map[string]struct {
		reason  string
		policy  func(*policySpec)
		binding func(*bindingSpec)
		sound   bool
	}{
		"as shipped":       {reason: "what config/policy has is what we trust", sound: true},
		"defaults written": {reason: "the server writes its defaults into what it stores", policy: func(s *policySpec) { s.MatchConstraints.NamespaceSelector = &metav1.LabelSelector{} }, sound: true},
		"other whitespace": {reason: "a folded text is the same expression", policy: func(s *policySpec) {
			s.MatchConditions[0].Expression = strings.ReplaceAll(s.MatchConditions[0].Expression, " && ", "\n  && ")
		}, sound: true},
		"failures ignored": {reason: "a policy that cannot be evaluated would let all through", policy: func(s *policySpec) { s.FailurePolicy = &ignore }},
		"a parameter":      {reason: "a binding without parameter would skip it", policy: func(s *policySpec) { s.ParamKind = &admissionregistration.ParamKind{} }},
		"some namespaces":  {reason: "the others would be open", policy: func(s *policySpec) { s.MatchConstraints.NamespaceSelector = some }},
		"some objects":     {reason: "a label would open the door", policy: func(s *policySpec) { s.MatchConstraints.ObjectSelector = some }},
		"some kinds":       {reason: "the others would be open", policy: func(s *policySpec) { s.MatchConstraints.ResourceRules[0].Resources = []string{"deployments"} }},
		"no subresource":   {reason: "scale and status would be open", policy: func(s *policySpec) { s.MatchConstraints.ResourceRules[0].Resources = []string{"*"} }},
		"no deletion": {reason: "it would delete", policy: func(s *policySpec) {
			s.MatchConstraints.ResourceRules[0].Operations = []admissionregistration.OperationType{"CREATE", "UPDATE"}
		}},
		"namespaced only": {reason: "cluster-scoped kinds would be open", policy: func(s *policySpec) { s.MatchConstraints.ResourceRules[0].Scope = &namespaced }},
		"an exception":    {reason: "an excluded kind would be open", policy: func(s *policySpec) { s.MatchConstraints.ExcludeResourceRules = s.MatchConstraints.ResourceRules }},
		"no constraints":  {reason: "it would match nothing", policy: func(s *policySpec) { s.MatchConstraints = nil }},
		"a second condition": {reason: "all conditions have to hold", policy: func(s *policySpec) {
			s.MatchConditions = append(s.MatchConditions, admissionregistration.MatchCondition{Name: "x", Expression: "false"})
		}},
		"another condition":  {reason: "an account could be left out by name", policy: func(s *policySpec) { s.MatchConditions[0].Expression += " && request.userInfo.username != 'x'" }},
		"another validation": {reason: "it would refuse nothing", policy: func(s *policySpec) { s.Validations[0].Expression = "true" }},
		"only a warning":     {reason: "a warning stops nobody", binding: func(s *bindingSpec) { s.ValidationActions = []admissionregistration.ValidationAction{"Warn", "Audit"} }},
		"another policy":     {reason: "it binds something else", binding: func(s *bindingSpec) { s.PolicyName = "others" }},
		"bound to some": {reason: "the others would be open", binding: func(s *bindingSpec) {
			s.MatchResources = &admissionregistration.MatchResources{NamespaceSelector: some}
		}},
		"bound by parameter": {reason: "a missing parameter may let all through", binding: func(s *bindingSpec) { s.ParamRef = &admissionregistration.ParamRef{Name: "x"} }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy, binding := shipped(t)
			if tc.policy != nil {
				tc.policy(&policy.Spec)
			}
			if tc.binding != nil {
				tc.binding(&binding.Spec)
			}
			if got := Problem(policy, binding); (got == "") != tc.sound {
				t.Errorf("problem %q, want sound %t: %s", got, tc.sound, tc.reason)
			}
		})
	}
}

func TestProblemOfWhatIsNotThere(t *testing.T) {
	policy, binding := shipped(t)
	if Problem(nil, binding) == "" || Problem(policy, nil) == "" || Problem(nil, nil) == "" {
		t.Error("a policy or binding that is not there holds nobody")
	}
}
