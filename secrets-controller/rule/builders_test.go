// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

func ref(kind, namespace, name string) secretsv1.ObjectReference {
	return secretsv1.ObjectReference{Kind: kind, Namespace: namespace, Name: name}
}

// neighbour is another Application that produces a Secret with some keys.
func neighbour(secret string, policy declaration.CreationPolicy, keys ...string) func(*rule.Input) {
	return func(in *rule.Input) {
		in.Neighbours.Productions = append(in.Neighbours.Productions, declaration.Production{
			By: ref("ExternalSecret", "shop", "theirs"), Namespace: "shop", Name: secret, Policy: policy,
			Creates: policy != declaration.CreationMerge, Keys: declaration.Keys{Known: keys}, Application: "shop/other",
		})
	}
}

func unreadNeighbour(in *rule.Input) {
	in.Neighbours.Unread = []rule.UnreadNeighbour{{Application: "shop/other", Namespace: "shop", Reason: "no artifact"}}
}

// outside is a SecretPolicy that names a producer outside Git.
func outside(name string, keys ...string) func(*rule.Input) {
	return func(in *rule.Input) {
		in.Policy = rule.NewPolicy([]secretsv1.SecretPolicy{{Spec: secretsv1.SecretPolicySpec{
			Producers: []secretsv1.ExternalProducer{{
				Accountability: secretsv1.Accountability{Owner: "the database team", Reason: "operator"},
				Namespace:      "shop", Name: name, Keys: keys,
			}},
		}}}, now)
	}
}
