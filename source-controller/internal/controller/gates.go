// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/options"
)

// checkGates refuses a start with a gate for which the rights are missing: a cache
// of Secrets that may not be filled would make every source that names one wait
// for ever, without a word.
func checkGates(ctx context.Context, cfg *rest.Config, opts options.Options) error {
	if !opts.Gates.CacheSecrets {
		return nil
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	namespace := ""
	if !opts.Watch.AllNamespaces {
		namespace = opts.Namespace
	}
	for _, verb := range []string{"list", "watch"} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Resource: "secrets"},
		}}
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("--feature-gates=CacheSecretsAndConfigMaps=true: asking whether Secrets may be watched: %w", err)
		}
		if !answer.Status.Allowed {
			return fmt.Errorf("--feature-gates=CacheSecretsAndConfigMaps=true needs the right to %s secrets, which this service account does not have: "+
				"grant get, list and watch of secrets, or leave the gate off", verb)
		}
	}
	return nil
}
