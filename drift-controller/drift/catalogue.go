// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// bookkeepingKeys are labels and annotations that tools write for themselves,
// exact or as a prefix that ends in a slash or a star. They say nothing about
// what runs, whoever wrote them.
var bookkeepingKeys = []string{
	"meta.helm.sh/", "app.kubernetes.io/managed-by",
	"kubectl.kubernetes.io/last-applied-configuration", "kubernetes.io/change-cause",
	"argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/", "reconcile.fluxcd.io/",
	"fluxcd.io/sync-*", "kapp.k14s.io/", "objectset.rio.cattle.io/", "pulumi.com/", "config.kubernetes.io/",
	"internal.config.kubernetes.io/", "configsync.gke.io/", "configmanagement.gke.io/", "kluctl.io/", "werf.io/",
	"deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation",
	"autoscaling.alpha.kubernetes.io/", "control-plane.alpha.kubernetes.io/leader",
	"client.lifecycle.config.k8s.io/", "batch.kubernetes.io/job-tracking",
	"pv.kubernetes.io/", "volume.kubernetes.io/", "volume.beta.kubernetes.io/storage-provisioner",
	"endpoints.kubernetes.io/last-change-trigger-time", "kubernetes.io/limit-ranger", "cnrm.cloud.google.com/last-applied-*",
}

func bookkeeping(pointer string, f facts) bool {
	tokens := keyedpath.Tokens(pointer)
	if len(tokens) != 3 || tokens[0] != "metadata" || (tokens[1] != "labels" && tokens[1] != "annotations") {
		return false
	}
	key := tokens[2]
	if key == "app.kubernetes.io/instance" && f.only(writers.Deployer) {
		return true // Argo CD's tracking label by default
	}
	for _, known := range bookkeepingKeys {
		if matchesKey(known, key) {
			return true
		}
	}
	return false
}

func matchesKey(known, key string) bool {
	if prefix, open := strings.CutSuffix(known, "*"); open {
		return strings.HasPrefix(key, prefix)
	}
	if strings.HasSuffix(known, "/") {
		return strings.HasPrefix(key, known)
	}
	return known == key
}

// allocations are fields that the API server fills when an object is created,
// and that a dry run under another name fills differently. By kind; a star
// stands for one token.
var allocations = map[string][]string{
	"Service": {
		"/spec/clusterIP", "/spec/clusterIPs", "/spec/ipFamilies", "/spec/ipFamilyPolicy",
		"/spec/healthCheckNodePort", "/spec/ports/*/nodePort",
	},
	"Job.batch": {
		"/spec/selector", "/spec/template/metadata/labels", "/spec/template/metadata/labels/controller-uid",
		"/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid", "/spec/template/metadata/labels/job-name",
		"/spec/template/metadata/labels/batch.kubernetes.io~1job-name", "/metadata/labels/controller-uid",
		"/metadata/labels/batch.kubernetes.io~1controller-uid", "/metadata/labels/job-name",
		"/metadata/labels/batch.kubernetes.io~1job-name",
	},
	"Namespace":             {"/metadata/labels/kubernetes.io~1metadata.name", "/spec/finalizers", "/spec"},
	"PersistentVolumeClaim": {"/spec/volumeName", "/spec/storageClassName", "/metadata/finalizers", "/metadata/finalizers/*"},
	"PersistentVolume":      {"/metadata/finalizers", "/metadata/finalizers/*", "/spec/claimRef"},
	"ServiceAccount":        {"/secrets", "/secrets/*"},
	"Pod": {
		"/spec/nodeName", "/spec/serviceAccount", "/spec/volumes/*", "/spec/containers/*/volumeMounts/*",
		"/spec/containers/*/volumeMounts/*/name", "/spec/initContainers/*/volumeMounts/*",
		"/spec/initContainers/*/volumeMounts/*/name", "/spec/tolerations", "/spec/priority", "/spec/preemptionPolicy",
	},
	"APIService.apiregistration.k8s.io":             {"/metadata/labels/kube-aggregator.kubernetes.io~1automanaged"},
	"CustomResourceDefinition.apiextensions.k8s.io": {"/metadata/finalizers", "/metadata/finalizers/*"},
}

func allocated(kind, pointer string) bool {
	for _, pattern := range allocations[kind] {
		if matchesPattern(pattern, pointer) {
			return true
		}
	}
	return false
}

func matchesPattern(pattern, pointer string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(pointer, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != have[i] {
			return false
		}
	}
	return true
}
