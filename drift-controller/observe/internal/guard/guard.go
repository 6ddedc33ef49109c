// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"slices"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
)

// applies is the one condition of the policy: a write that persists, by an
// account that RBAC calls an observer. Whitespace is no part of it.
const applies = `
!request.dryRun
&& request.userInfo.username.startsWith('system:serviceaccount:')
&& authorizer.group('` + contract.ObserverGroup + `').resource('` + contract.ObserverResource + `')
.namespace(request.userInfo.username.split(':')[2]).check('` + contract.ObserverVerb + `').allowed()
&& !authorizer.group('` + contract.ObserverGroup + `').resource('` + contract.ObserverResource + `')
.namespace(request.userInfo.username.split(':')[2]).check('` + contract.PersistVerb + `').allowed()`

// Problem says why the policy does not hold observers to dry runs, and what to
// do; empty if it does. Nil stands for an object that the cluster has not.
func Problem(p *admissionregistration.ValidatingAdmissionPolicy, b *admissionregistration.ValidatingAdmissionPolicyBinding) string {
	const remedy = "apply config/policy, as this version ships it"
	if p == nil {
		return fmt.Sprintf("there is no ValidatingAdmissionPolicy %s: %s", contract.ObserverPolicy, remedy)
	}
	if b == nil {
		return fmt.Sprintf("there is no ValidatingAdmissionPolicyBinding %s: %s", contract.ObserverPolicy, remedy)
	}
	if wrong := inPolicy(p.Spec); wrong != "" {
		return fmt.Sprintf("ValidatingAdmissionPolicy %s lets writes through: %s: %s", p.Name, wrong, remedy)
	}
	if wrong := inBinding(b.Spec); wrong != "" {
		return fmt.Sprintf("ValidatingAdmissionPolicyBinding %s lets writes through: %s: %s", b.Name, wrong, remedy)
	}
	return ""
}

func inPolicy(s admissionregistration.ValidatingAdmissionPolicySpec) string {
	switch {
	case s.FailurePolicy != nil && *s.FailurePolicy != admissionregistration.Fail:
		return "spec.failurePolicy is not Fail"
	case s.ParamKind != nil:
		return "spec.paramKind is set"
	case !coversAll(s.MatchConstraints):
		return "spec.matchConstraints leaves something out"
	case len(s.MatchConditions) != 1 || bare(s.MatchConditions[0].Expression) != bare(applies):
		return "spec.matchConditions is not the one condition of this version"
	case !slices.ContainsFunc(s.Validations, func(v admissionregistration.Validation) bool { return bare(v.Expression) == "false" }):
		return "no item of spec.validations has the expression false"
	}
	return ""
}

func inBinding(s admissionregistration.ValidatingAdmissionPolicyBindingSpec) string {
	switch {
	case s.PolicyName != contract.ObserverPolicy:
		return "spec.policyName is " + s.PolicyName
	case !slices.Contains(s.ValidationActions, admissionregistration.Deny):
		return "spec.validationActions has no Deny"
	case s.ParamRef != nil:
		return "spec.paramRef is set"
	case s.MatchResources != nil && !(unlimited(s.MatchResources) && len(s.MatchResources.ResourceRules) == 0):
		return "spec.matchResources leaves something out"
	}
	return ""
}

// coversAll says whether every write of every kind is asked about.
func coversAll(m *admissionregistration.MatchResources) bool {
	return m != nil && unlimited(m) && slices.ContainsFunc(m.ResourceRules, func(r admissionregistration.NamedRuleWithOperations) bool {
		return len(r.ResourceNames) == 0 && slices.Contains(r.APIGroups, "*") && slices.Contains(r.APIVersions, "*") &&
			slices.Contains(r.Resources, "*/*") && slices.Contains(r.Operations, admissionregistration.OperationAll) &&
			(r.Scope == nil || *r.Scope == admissionregistration.AllScopes)
	})
}

// unlimited says whether no namespace, object or kind is left out.
func unlimited(m *admissionregistration.MatchResources) bool {
	return all(m.NamespaceSelector) && all(m.ObjectSelector) && len(m.ExcludeResourceRules) == 0
}

func all(s *metav1.LabelSelector) bool {
	return s == nil || len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

func bare(expression string) string {
	return strings.Join(strings.Fields(expression), "")
}
