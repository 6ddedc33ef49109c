// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// envPlay makes this test binary be the command.
const envPlay = "CLUSTER_TEST_PLAY"

func TestMain(m *testing.M) {
	if os.Getenv(envPlay) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestStaysUpUntilInterrupted(t *testing.T) {
	command := exec.CommandContext(t.Context(), os.Args[0], "-nodes=0", "-user=alice", "-groups=x,y")
	command.Env = append(os.Environ(), envPlay+"=1", "KUBECONFIG=")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer command.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it ended before it was ready: %v", err)
	}
	// What a shell's eval makes of the line.
	path, found := strings.CutPrefix(strings.TrimSpace(line), "export KUBECONFIG=")
	path = strings.Trim(path, "'")
	if !found {
		t.Fatalf("it printed %q, want an export of KUBECONFIG", line)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().
		Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if who := review.Status.UserInfo; who.Username != "alice" || strings.Join(who.Groups, " ") != "x y system:authenticated" {
		t.Errorf("the kubeconfig is for %s in %v", who.Username, who.Groups)
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("after an interrupt: %v, want exit status 0", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
}
