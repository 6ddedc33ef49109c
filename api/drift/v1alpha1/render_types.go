// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Render chooses at most one renderer, and what is done to its output.
//
// +kubebuilder:validation:XValidation:rule="[has(self.helm), has(self.kustomize), has(self.plain)].filter(x, x).size() <= 1",message="at most one of helm, kustomize and plain may be set"
type Render struct {
	// +optional
	Helm *HelmRender `json:"helm,omitempty"`
	// +optional
	Kustomize *KustomizeRender `json:"kustomize,omitempty"`
	// Plain reads every YAML and JSON file below the path.
	// +optional
	Plain *PlainRender `json:"plain,omitempty"`
	// Substitute replaces ${VARIABLES} in rendered text, as Flux's postBuild
	// does. Off unless set; an undefined variable is an error.
	// +optional
	Substitute *Substitute `json:"substitute,omitempty"`
	// Decryption of SOPS files before they are rendered.
	// +optional
	Decryption *Decryption `json:"decryption,omitempty"`
}

// PlainRender has no options yet; its presence chooses the renderer.
type PlainRender struct{}

// HelmRender renders the chart at the path. Hooks are not run.
type HelmRender struct {
	// ReleaseName defaults to the Application's name.
	// +optional
	// +kubebuilder:validation:MaxLength=53
	ReleaseName string `json:"releaseName,omitempty"`
	// ValuesFiles within the artifact, relative to the chart; later ones win.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=1024
	ValuesFiles []string `json:"valuesFiles,omitempty"`
	// ValuesFrom ConfigMaps and Secrets of the Application's namespace, read as
	// the observe account. They win over files.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	ValuesFrom []ValuesReference `json:"valuesFrom,omitempty"`
	// Values win over everything else.
	// +optional
	Values *Values `json:"values,omitempty"`
	// SkipCRDs leaves out the chart's crds folder.
	// +optional
	SkipCRDs bool `json:"skipCRDs,omitempty"`
	// ValuesSourceRef names a second source that holds the values files.
	// +optional
	ValuesSourceRef *SourceReference `json:"valuesSourceRef,omitempty"`
}

// ValuesReference names a key of a ConfigMap or Secret with Helm values.
type ValuesReference struct {
	// +kubebuilder:validation:Enum=ConfigMap;Secret
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +optional
	// +kubebuilder:default="values.yaml"
	// +kubebuilder:validation:MaxLength=253
	ValuesKey string `json:"valuesKey,omitempty"`
	// TargetPath sets one value by its dotted path instead of merging a file.
	// +optional
	// +kubebuilder:validation:MaxLength=250
	TargetPath string `json:"targetPath,omitempty"`
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// KustomizeRender builds the kustomization at the path, with overrides on top.
type KustomizeRender struct {
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Images []KustomizeImage `json:"images,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=64
	Patches []KustomizePatch `json:"patches,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=1024
	Components []string `json:"components,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=200
	NamePrefix string `json:"namePrefix,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=200
	NameSuffix string `json:"nameSuffix,omitempty"`
}

// KustomizeImage replaces an image's name, tag or digest.
type KustomizeImage struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Name string `json:"name"`
	// +optional
	// +kubebuilder:validation:MaxLength=512
	NewName string `json:"newName,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=128
	NewTag string `json:"newTag,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=160
	Digest string `json:"digest,omitempty"`
}

// KustomizePatch is a strategic merge or JSON 6902 patch.
type KustomizePatch struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=65536
	Patch string `json:"patch"`
	// +optional
	Target *KustomizeTarget `json:"target,omitempty"`
}

// KustomizeTarget selects the objects of a patch.
type KustomizeTarget struct {
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	LabelSelector string `json:"labelSelector,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	AnnotationSelector string `json:"annotationSelector,omitempty"`
}

// Substitute names the variables that are replaced.
type Substitute struct {
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Values map[string]string `json:"values,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=32
	From []SubstituteReference `json:"from,omitempty"`
}

// SubstituteReference names a ConfigMap or Secret whose keys are variables.
type SubstituteReference struct {
	// +kubebuilder:validation:Enum=ConfigMap;Secret
	Kind string `json:"kind"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// Decryption names the key of SOPS files.
type Decryption struct {
	// +kubebuilder:validation:Enum=sops
	Provider string `json:"provider"`
	// +optional
	SecretRef *SecretKeyReference `json:"secretRef,omitempty"`
}
