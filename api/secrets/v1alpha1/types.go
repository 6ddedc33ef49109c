// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SecretReport is one page of what the secrets-controller has to say about an
// Application's declaration.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=hsec,categories=holdfast
// +kubebuilder:printcolumn:name="Application",type=string,JSONPath=`.metadata.labels.drift\.holdfast\.dev/application`
// +kubebuilder:printcolumn:name="Declaration",type=string,JSONPath=`.status.declaration.verdict`
// +kubebuilder:printcolumn:name="Readiness",type=string,JSONPath=`.status.readiness.verdict`
// +kubebuilder:printcolumn:name="Errors",type=integer,JSONPath=`.status.counts.errors`
// +kubebuilder:printcolumn:name="Warnings",type=integer,JSONPath=`.status.counts.warnings`
// +kubebuilder:printcolumn:name="Unknown",type=integer,JSONPath=`.status.counts.unknown`
// +kubebuilder:printcolumn:name="First",type=string,JSONPath=`.status.headline`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.observed.revision`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SecretReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status SecretReportStatus `json:"status,omitempty"`
}

// SecretReportList is a list of pages.
//
// +kubebuilder:object:root=true
type SecretReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SecretReport `json:"items"`
}

// SecretReportStatus is the content of a page. The verdicts are those of the
// whole report and stand on every page.
type SecretReportStatus struct {
	// Observed is the rendered artifact that the findings are about.
	// +optional
	Observed *Observed `json:"observed,omitempty"`
	// ValidUntil is when the verdicts are no longer to be believed: a reader
	// takes them for Unknown from then on, so that a controller that died does
	// not stay green for ever.
	// +optional
	ValidUntil *metav1.Time `json:"validUntil,omitempty"`
	// Declaration: can this revision's secrets be delivered, judged from Git.
	// +optional
	Declaration *VerdictStatus `json:"declaration,omitempty"`
	// Readiness: have they been delivered.
	// +optional
	Readiness *VerdictStatus `json:"readiness,omitempty"`
	// +optional
	Counts FindingCounts `json:"counts,omitempty"`
	// Headline is the finding that matters most, in one line.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Headline string `json:"headline,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=500
	Findings []Finding `json:"findings,omitempty"`
	// Truncated counts findings that did not fit.
	// +optional
	Truncated int32 `json:"truncated,omitempty"`
	// Deliveries are what became of each declared ExternalSecret.
	// +optional
	// +kubebuilder:validation:MaxItems=500
	Deliveries []Delivery `json:"deliveries,omitempty"`
	// Restorability stands on the first page: could the declared workloads come
	// up on an empty cluster from this revision.
	// +optional
	Restorability *Restorability `json:"restorability,omitempty"`
	// Leaks stand on the first page: values that stand or stood in the open in
	// some revision, until a SecretPolicy acknowledges that they were rotated.
	// +optional
	// +kubebuilder:validation:MaxItems=200
	Leaks []Leak `json:"leaks,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Observed identifies the rendered artifact.
type Observed struct {
	// Digest of the rendered artifact, as in the Application's status.rendered.
	Digest   string      `json:"digest"`
	Revision string      `json:"revision"`
	Time     metav1.Time `json:"time"`
}

// DeliveryState is what became of a declared ExternalSecret.
//
// +kubebuilder:validation:Enum=Delivered;Partial;KeptOld;Missing;Stale;Failed;NoController;NotCreated;Unknown
type DeliveryState string

// The states. Only Delivered is one to rely on.
const (
	DeliveryDelivered    DeliveryState = "Delivered"
	DeliveryPartial      DeliveryState = "Partial"      // a declared key is not on the Secret
	DeliveryKeptOld      DeliveryState = "KeptOld"      // the provider has no value any more, or the target is frozen
	DeliveryMissing      DeliveryState = "Missing"      // Ready, and no Secret
	DeliveryStale        DeliveryState = "Stale"        // synced from an older declaration, or overdue
	DeliveryFailed       DeliveryState = "Failed"       // the operator reports an error
	DeliveryNoController DeliveryState = "NoController" // nobody has looked at it
	DeliveryNotCreated   DeliveryState = "NotCreated"   // by its creationPolicy None
	DeliveryUnknown      DeliveryState = "Unknown"
)

// Delivery is the state of one ExternalSecret.
type Delivery struct {
	Object ObjectReference `json:"object"`
	State  DeliveryState   `json:"state"`
	// Time of the last refresh that the operator reports.
	// +optional
	Time *metav1.Time `json:"time,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// RestorabilityVerdict says whether a namespace can be brought back from Git.
//
// +kubebuilder:validation:Enum=Restorable;RestorableWithRoots;NotRestorable;Unknown
type RestorabilityVerdict string

// The verdicts.
const (
	Restorable           RestorabilityVerdict = "Restorable"
	RestorableWithRoots  RestorabilityVerdict = "RestorableWithRoots"
	NotRestorable        RestorabilityVerdict = "NotRestorable"
	RestorabilityUnknown RestorabilityVerdict = "Unknown"
)

// Restorability is the verdict on an Application, and on each of its
// namespaces. Exceptions and severities of a policy do not change it: what is
// missing is missing, whoever tolerates it.
type Restorability struct {
	Verdict RestorabilityVerdict `json:"verdict"`
	// Namespaces, the first 50.
	// +optional
	// +kubebuilder:validation:MaxItems=50
	Namespaces []NamespaceRestorability `json:"namespaces,omitempty"`
}

// NamespaceRestorability is the verdict on one namespace.
type NamespaceRestorability struct {
	// Namespace; empty is what is cluster-scoped.
	Namespace string               `json:"namespace"`
	Verdict   RestorabilityVerdict `json:"verdict"`
	// Roots are accepted Secrets that have to be held outside Git.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=512
	Roots []string `json:"roots,omitempty"`
	// Missing are the edges that are missing.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=512
	Missing []string `json:"missing,omitempty"`
	// Unknown are those that cannot be told from Git.
	// +optional
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:MaxLength=512
	Unknown []string `json:"unknown,omitempty"`
	// More counts what is not listed.
	// +optional
	More int32 `json:"more,omitempty"`
}

// Leak is the memory of a value that stood in the open.
type Leak struct {
	// Rule that found it.
	// +kubebuilder:validation:MaxLength=63
	Rule   string          `json:"rule"`
	Object ObjectReference `json:"object"`
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Path string `json:"path,omitempty"`
	// Digest of the value, keyed: it tells one value from the next.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Digest string `json:"digest,omitempty"`
}

// Verdict is Pass, Deny or Unknown.
//
// +kubebuilder:validation:Enum=Pass;Deny;Unknown
type Verdict string

// The verdicts. Unknown is never a pass.
const (
	VerdictPass    Verdict = "Pass"
	VerdictDeny    Verdict = "Deny"
	VerdictUnknown Verdict = "Unknown"
)

// VerdictStatus is a verdict with its reason.
type VerdictStatus struct {
	Verdict Verdict `json:"verdict"`
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason,omitempty"`
}

// FindingCounts counts the findings of the whole report.
type FindingCounts struct {
	Errors   int32 `json:"errors"`
	Warnings int32 `json:"warnings"`
	Infos    int32 `json:"infos"`
	Unknown  int32 `json:"unknown"`
}

// Severity of a finding.
//
// +kubebuilder:validation:Enum=Error;Warning;Info;Unknown
type Severity string

// The severities. Unknown: the rule could not decide, and says why.
const (
	SeverityError   Severity = "Error"
	SeverityWarning Severity = "Warning"
	SeverityInfo    Severity = "Info"
	SeverityUnknown Severity = "Unknown"
)

// FindingGate is the verdict that a finding belongs to.
//
// +kubebuilder:validation:Enum=Declaration;Readiness
type FindingGate string

// The gates.
const (
	GateDeclaration FindingGate = "Declaration"
	GateReadiness   FindingGate = "Readiness"
)

// ObjectReference identifies an object of the rendered artifact or the cluster.
type ObjectReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Finding is what one rule says about one place.
type Finding struct {
	// Rule is the id in the catalogue.
	// +kubebuilder:validation:MaxLength=63
	Rule     string          `json:"rule"`
	Severity Severity        `json:"severity"`
	Gate     FindingGate     `json:"gate"`
	Object   ObjectReference `json:"object"`
	// Path is a JSON pointer into the object.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Path string `json:"path,omitempty"`
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Remedy string `json:"remedy,omitempty"`
	// Fingerprint identifies the finding across revisions: a keyed digest.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Fingerprint string `json:"fingerprint,omitempty"`
}

// SecretPolicy tunes the rules of the secrets-controller.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=hspol,categories=holdfast
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SecretPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec SecretPolicySpec `json:"spec"`
}

// SecretPolicyList is a list of SecretPolicies.
//
// +kubebuilder:object:root=true
type SecretPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SecretPolicy `json:"items"`
}

// SecretPolicySpec holds severities and exceptions.
type SecretPolicySpec struct {
	// Severities overrides the severity per rule id; Off switches a rule off.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	// +listType=map
	// +listMapKey=rule
	Severities []RuleSeverity `json:"severities,omitempty"`
	// Producers are Secrets that something outside Git makes.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Producers []ExternalProducer `json:"producers,omitempty"`
	// Exceptions silence a rule for named objects.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Exceptions []Exception `json:"exceptions,omitempty"`
	// Waivers silence one finding by its fingerprint.
	// +optional
	// +kubebuilder:validation:MaxItems=256
	Waivers []Waiver `json:"waivers,omitempty"`
}

// RuleSeverity is the severity of a rule.
type RuleSeverity struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Rule string `json:"rule"`
	// +kubebuilder:validation:Enum=Error;Warning;Info;Off
	Severity string `json:"severity"`
}

// Accountability is who answers for an exception, why and until when.
type Accountability struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Owner string `json:"owner"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Reason string `json:"reason"`
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// ExternalProducer names Secrets, and perhaps keys, made outside Git.
type ExternalProducer struct {
	Accountability `json:",inline"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`
	// Name; a trailing * matches any text.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// Keys that are made; empty is every key.
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	Keys []string `json:"keys,omitempty"`
}

// Exception silences a rule for objects.
type Exception struct {
	Accountability `json:",inline"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Rule string `json:"rule"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// Name; a trailing * matches any text.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
}

// Waiver silences one finding.
type Waiver struct {
	Accountability `json:",inline"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Fingerprint string `json:"fingerprint"`
	// Rotated acknowledges that a value that once stood in Git was replaced.
	// +optional
	Rotated bool `json:"rotated,omitempty"`
}
