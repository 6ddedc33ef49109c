// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

// Command is one executable: the file's name and the package it is built from.
// A package that starts with "./" lies in the plan's own module.
type Command struct {
	Name, Package string
}

// Plan says what is built, from where and to where.
type Plan struct {
	// Module is the folder of the go.mod that pins every version.
	Module string
	// Out is the folder that the executables end up in. It is replaced whole.
	Out string
	// Commands are built, in order.
	Commands []Command
	// Files are commands that are run at build time; what they print becomes
	// the file of that name.
	Files []Command
	// Release is the module whose version the commands report as their own.
	// Without it Kubernetes calls itself v0.0.0-master, which charts with a
	// kubeVersion refuse. Empty: nothing is stamped.
	Release string
	// Versions are the packages whose version variables are set to Release's.
	Versions []string
}

// ControlPlane is the plan of the embedded Kubernetes control plane.
func ControlPlane(module, out string) Plan {
	return Plan{
		Module: module,
		Out:    out,
		Commands: []Command{
			{Name: "etcd", Package: "./cmd/etcd"},
			{Name: "kube-apiserver", Package: "k8s.io/kubernetes/cmd/kube-apiserver"},
			{Name: "kube-controller-manager", Package: "k8s.io/kubernetes/cmd/kube-controller-manager"},
			{Name: "kube-scheduler", Package: "k8s.io/kubernetes/cmd/kube-scheduler"},
			{Name: "kwok", Package: "sigs.k8s.io/kwok/cmd/kwok"},
			{Name: "kubectl", Package: "k8s.io/kubernetes/cmd/kubectl"},
		},
		Files:    []Command{{Name: "kwok-stages.yaml", Package: "./cmd/kwokstages"}},
		Release:  "k8s.io/kubernetes",
		Versions: []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"},
	}
}

// outputs are the names of all files that a finished build holds.
func (p Plan) outputs() []string {
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	for _, f := range p.Files {
		names = append(names, f.Name)
	}
	return names
}

// steps is how many lines of progress a build has: the modules come first.
func (p Plan) steps() int { return 1 + len(p.Commands) + len(p.Files) }
