// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command kwokstages prints the Stage objects that kwok's module carries as
// one YAML stream: a node becomes Ready at once, a pod runs at once, a pod of
// a Job completes, a deleted pod goes away. kwok ends without such a file. It
// is printed when the control plane is built, so that no module but this one
// has to know kwok.
package main

import (
	"fmt"
	"os"
	"strings"

	node "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	pod "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

func main() {
	stages := []string{node.DefaultNodeInit, pod.DefaultPodReady, pod.DefaultPodComplete, pod.DefaultPodDelete}
	for _, stage := range stages {
		if _, err := fmt.Fprintf(os.Stdout, "---\n%s\n", strings.TrimSpace(stage)); err != nil {
			fmt.Fprintln(os.Stderr, "kwokstages: writing the stages:", err)
			os.Exit(1)
		}
	}
}
