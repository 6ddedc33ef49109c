// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

// computed stands for a value that the server works out: no constant tells it
// from a setting.
var computed []any

func constant(values ...any) []any { return values }

// nothing stands for an empty struct, which the server writes where the Go type
// has no pointer.
var nothing = constant(map[string]any{})

var podKinds = map[string]string{ // to where the pod's own spec begins
	"Pod": "spec/", "PodTemplate": "template/spec/", "ReplicationController": "spec/template/spec/",
	"Deployment.apps": "spec/template/spec/", "StatefulSet.apps": "spec/template/spec/",
	"DaemonSet.apps": "spec/template/spec/", "ReplicaSet.apps": "spec/template/spec/",
	"Job.batch": "spec/template/spec/", "CronJob.batch": "spec/jobTemplate/spec/template/spec/",
}

// podFilled is what the server fills into the spec of a pod, with a star for
// each item. The names of the three lists of containers and of the probes are
// written as one.
var podFilled = map[string][]any{
	"restartPolicy": constant("Always"), "dnsPolicy": constant("ClusterFirst"), "schedulerName": constant("default-scheduler"),
	"terminationGracePeriodSeconds": constant(int64(30)), "serviceAccount": computed, "securityContext": nothing,
	"tolerations": computed, "priority": computed, "hostUsers": computed,
	"containers/*/terminationMessagePath":                     constant("/dev/termination-log"),
	"containers/*/terminationMessagePolicy":                   constant("File"),
	"containers/*/imagePullPolicy":                            computed,
	"containers/*/securityContext/procMount":                  constant("Default"),
	"containers/*/ports/*/protocol":                           constant("TCP"),
	"containers/*/ports/*/hostPort":                           computed,
	"containers/*/env/*/valueFrom/fieldRef/apiVersion":        constant("v1"),
	"containers/*/env/*/valueFrom/resourceFieldRef/divisor":   constant("0"),
	"volumes/*/downwardAPI/items/*/resourceFieldRef/divisor":  constant("0"),
	"containers/*/probe/timeoutSeconds":                       constant(int64(1)),
	"containers/*/probe/periodSeconds":                        constant(int64(10)),
	"containers/*/probe/successThreshold":                     constant(int64(1)),
	"containers/*/probe/failureThreshold":                     constant(int64(3)),
	"containers/*/probe/httpGet/scheme":                       constant("HTTP"),
	"containers/*/probe/httpGet/path":                         constant("/"),
	"containers/*/probe/grpc/service":                         constant(""),
	"containers/*/lifecycle/postStart/httpGet/scheme":         constant("HTTP"),
	"containers/*/lifecycle/postStart/httpGet/path":           constant("/"),
	"containers/*/lifecycle/preStop/httpGet/scheme":           constant("HTTP"),
	"containers/*/lifecycle/preStop/httpGet/path":             constant("/"),
	"containers/*/resources":                                  nothing,
	"containers/*/resources/requests/*":                       computed,
	"volumes/*/configMap/defaultMode":                         constant(int64(420)),
	"volumes/*/secret/defaultMode":                            constant(int64(420)),
	"volumes/*/projected/defaultMode":                         constant(int64(420)),
	"volumes/*/downwardAPI/defaultMode":                       constant(int64(420)),
	"volumes/*/downwardAPI/items/*/fieldRef/apiVersion":       constant("v1"),
	"volumes/*/hostPath/type":                                 constant(""),
	"volumes/*/emptyDir":                                      nothing,
	"volumes/*/ephemeral/volumeClaimTemplate/spec/volumeMode": constant("Filesystem"),
	"volumes/*/projected/sources":                             computed,
	"topologySpreadConstraints/*/nodeAffinityPolicy":          computed,
	"topologySpreadConstraints/*/nodeTaintsPolicy":            computed,
}

// filled is what the server fills into kinds, beside the spec of a pod. A kind
// that is not in it is not known to this table.
var filled = map[string]map[string][]any{
	"Pod": {
		"spec/enableServiceLinks": constant(true), "spec/nodeName": computed, "spec/volumes/*": computed,
		"spec/containers/*/volumeMounts/*": computed, "spec/preemptionPolicy": computed, "spec/serviceAccountName": computed,
	},
	"PodTemplate":           {},
	"ReplicationController": {"spec/replicas": constant(int64(1)), "spec/selector": computed, "metadata/labels": computed},
	"Deployment.apps": {
		"spec/replicas": constant(int64(1)), "spec/revisionHistoryLimit": constant(int64(10)), "spec/progressDeadlineSeconds": constant(int64(600)),
		"spec/strategy/type": constant("RollingUpdate"), "spec/strategy/rollingUpdate/maxSurge": constant("25%"),
		"spec/strategy/rollingUpdate/maxUnavailable": constant("25%"),
	},
	"StatefulSet.apps": {
		"spec/replicas": constant(int64(1)), "spec/revisionHistoryLimit": constant(int64(10)), "spec/podManagementPolicy": constant("OrderedReady"),
		"spec/updateStrategy/type": constant("RollingUpdate"), "spec/updateStrategy/rollingUpdate/partition": constant(int64(0)),
		"spec/updateStrategy/rollingUpdate/maxUnavailable":      constant(int64(1)),
		"spec/persistentVolumeClaimRetentionPolicy/whenDeleted": constant("Retain"),
		"spec/persistentVolumeClaimRetentionPolicy/whenScaled":  constant("Retain"),
		"spec/volumeClaimTemplates/*/apiVersion":                constant("v1"),
		"spec/volumeClaimTemplates/*/kind":                      constant("PersistentVolumeClaim"),
		"spec/volumeClaimTemplates/*/spec/volumeMode":           constant("Filesystem"),
		"spec/volumeClaimTemplates/*/status/phase":              constant("Pending"),
	},
	"DaemonSet.apps": {
		"spec/revisionHistoryLimit": constant(int64(10)), "spec/updateStrategy/type": constant("RollingUpdate"),
		"spec/updateStrategy/rollingUpdate/maxSurge": constant(int64(0)), "spec/updateStrategy/rollingUpdate/maxUnavailable": constant(int64(1)),
	},
	"ReplicaSet.apps": {"spec/replicas": constant(int64(1))},
	"Job.batch": {
		"spec/completions": computed, "spec/parallelism": constant(int64(1)), "spec/backoffLimit": computed,
		"spec/completionMode": constant("NonIndexed"), "spec/suspend": constant(false), "spec/manualSelector": constant(false),
		"spec/podReplacementPolicy": computed, "spec/selector": computed, "spec/selector/matchLabels": computed,
		"spec/template/metadata/labels": computed, "spec/podFailurePolicy/rules": computed, "metadata/labels": computed,
	},
	"CronJob.batch": {
		"spec/concurrencyPolicy": constant("Allow"), "spec/suspend": constant(false),
		"spec/successfulJobsHistoryLimit": constant(int64(3)), "spec/failedJobsHistoryLimit": constant(int64(1)),
	},
	"ConfigMap": {}, "Role.rbac.authorization.k8s.io": {}, "ServiceAccount": {"secrets": computed},
	"ClusterRole.rbac.authorization.k8s.io": {"rules": computed},
	"Secret":                                {"type": constant("Opaque")},
	"Service": {
		"spec/sessionAffinity": constant("None"), "spec/type": constant("ClusterIP"), "spec/internalTrafficPolicy": constant("Cluster"),
		"spec/externalTrafficPolicy": computed, "spec/sessionAffinityConfig/clientIP/timeoutSeconds": computed,
		"spec/allocateLoadBalancerNodePorts": constant(true), "spec/clusterIP": computed, "spec/clusterIPs": computed,
		"spec/ipFamilies": computed, "spec/ipFamilyPolicy": computed, "spec/healthCheckNodePort": computed,
		"spec/ports/*/protocol": constant("TCP"), "spec/ports/*/targetPort": computed, "spec/ports/*/nodePort": computed,
	},
	"Ingress.networking.k8s.io":      {"spec/rules/*/http/paths/*/pathType": constant("ImplementationSpecific")},
	"IngressClass.networking.k8s.io": {"spec/parameters/scope": constant("Cluster")},
	"NetworkPolicy.networking.k8s.io": {
		"spec/podSelector": nothing, "spec/policyTypes": computed,
		"spec/ingress/*/ports/*/protocol": constant("TCP"), "spec/egress/*/ports/*/protocol": constant("TCP"),
	},
	"HorizontalPodAutoscaler.autoscaling": {
		"spec/minReplicas": constant(int64(1)), "spec/metrics": constant(cpuAt80),
		"spec/behavior/scaleUp/stabilizationWindowSeconds": constant(int64(0)), "spec/behavior/scaleUp/selectPolicy": constant("Max"),
		"spec/behavior/scaleDown/stabilizationWindowSeconds": constant(int64(300)), "spec/behavior/scaleDown/selectPolicy": constant("Max"),
		"spec/behavior/scaleUp/policies": computed, "spec/behavior/scaleDown/policies": computed, "spec/behavior": computed,
		"spec/behavior/scaleUp": computed, "spec/behavior/scaleDown": computed,
	},
	"PodDisruptionBudget.policy": {},
	"PersistentVolumeClaim":      {"spec/volumeMode": constant("Filesystem"), "spec/storageClassName": computed, "spec/volumeName": computed},
	"PersistentVolume": {
		"spec/persistentVolumeReclaimPolicy": constant("Retain"), "spec/volumeMode": constant("Filesystem"),
		"spec/claimRef": computed, "spec/hostPath/type": constant(""),
	},
	"StorageClass.storage.k8s.io":     {"reclaimPolicy": constant("Delete"), "volumeBindingMode": constant("Immediate")},
	"PriorityClass.scheduling.k8s.io": {"preemptionPolicy": constant("PreemptLowerPriority")},
	"Namespace":                       {"spec": computed, "spec/finalizers": computed},
	"ResourceQuota":                   {},
	"LimitRange":                      {"spec/limits": computed},
	"RoleBinding.rbac.authorization.k8s.io": {
		"roleRef/apiGroup": computed, "subjects/*/apiGroup": computed,
	},
	"ClusterRoleBinding.rbac.authorization.k8s.io": {
		"roleRef/apiGroup": computed, "subjects/*/apiGroup": computed,
	},
	"CustomResourceDefinition.apiextensions.k8s.io": {
		"spec/conversion/strategy": constant("None"), "spec/names/listKind": computed, "spec/names/singular": computed,
		"spec/preserveUnknownFields": constant(false),
	},
	"MutatingWebhookConfiguration.admissionregistration.k8s.io":   webhooksFilled,
	"ValidatingWebhookConfiguration.admissionregistration.k8s.io": webhooksFilled,
}

// serverMade are the structs that the server makes where nobody declares them;
// all others are there because somebody set a field of them.
var serverMade = map[string]bool{
	"spec/strategy": true, "spec/strategy/rollingUpdate": true, "spec/updateStrategy": true, "spec/updateStrategy/rollingUpdate": true,
	"spec/persistentVolumeClaimRetentionPolicy": true, "securityContext": true, "containers/*/resources": true, "spec/conversion": true,
	"spec/podSelector": true, "webhooks/*/namespaceSelector": true, "webhooks/*/objectSelector": true,
}

// cpuAt80 is what an autoscaler without a metric follows.
var cpuAt80 = []any{map[string]any{"type": "Resource", "resource": map[string]any{
	"name": "cpu", "target": map[string]any{"type": "Utilization", "averageUtilization": int64(80)},
}}}

var webhooksFilled = map[string][]any{
	"webhooks/*/failurePolicy": constant("Fail"), "webhooks/*/matchPolicy": constant("Equivalent"),
	"webhooks/*/timeoutSeconds": constant(int64(10)), "webhooks/*/reinvocationPolicy": constant("Never"),
	"webhooks/*/namespaceSelector": nothing, "webhooks/*/objectSelector": nothing,
	"webhooks/*/clientConfig/service/port": constant(int64(443)), "webhooks/*/rules/*/scope": constant("*"),
}
