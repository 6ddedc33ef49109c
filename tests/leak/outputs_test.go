// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package leak

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// until polls, and fails the test with what was wrong last.
func until(t *testing.T, probe func(context.Context) error) {
	t.Helper()
	must(t, lab.Poll(t.Context(), probe))
}

// search looks through everything that is published now, and through what more
// is given by where it was seen.
func search(t *testing.T, s *lab.Space, more ...map[string]string) {
	t.Helper()
	texts := published(t, s)
	for _, m := range more {
		for where, text := range m {
			texts[where] = text
		}
	}
	for where, text := range texts {
		if whose, piece := leak(text); piece != "" {
			t.Errorf("%s holds %q of %s: ...%s...", where, piece, whose, around(text, piece))
		}
	}
}

// published is all that a reader could get at, by where it stands.
func published(t *testing.T, s *lab.Space) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for kind, list := range map[string]client.ObjectList{
		"Applications": &api.ApplicationList{}, "DriftReports": &api.DriftReportList{}, "Inventories": &api.InventoryList{},
		"Approvals": &api.ApprovalList{}, "emergencies": &api.BreakGlassList{}, "SecretReports": &secrets.SecretReportList{},
		"events": &corev1.EventList{}, "new events": &eventsv1.EventList{},
	} {
		must(t, s.Client.List(t.Context(), list, client.InNamespace(s.Namespace)))
		texts[kind] = asJSON(t, list)
	}
	for kind, list := range map[string]client.ObjectList{"Projects": &api.ProjectList{}, "rollouts": &api.StageRolloutList{}, "policies": &secrets.SecretPolicyList{}} {
		must(t, s.Client.List(t.Context(), list))
		texts[kind] = asJSON(t, list)
	}
	texts["the statuses of sources"] = sourceStatuses(t, s)
	texts["events that were sent out"] = receiver.all()
	for _, controller := range []string{holdfast.Source, holdfast.Drift, holdfast.Secrets} {
		text, err := os.ReadFile(s.Controllers.Log(controller))
		must(t, err)
		texts["the log of the "+controller] = string(text)
		served := ends[controller]
		for _, path := range []string{"/metrics", "/debug/pprof/goroutine?debug=2", "/debug/pprof/heap?debug=1", "/debug/pprof/cmdline", "/nowhere"} {
			texts[controller+path] = fetched(t, "http://"+served.metrics+path)
		}
		for _, path := range []string{"/healthz?verbose", "/readyz?verbose", "/nowhere"} {
			texts[controller+" health "+path] = fetched(t, "http://"+served.health+path)
		}
		if text := texts[controller+"/metrics"]; !strings.Contains(text, "go_goroutines") {
			t.Errorf("the metrics of the %s are not those of a controller: %.300s", controller, text)
		}
	}
	var apps api.ApplicationList
	must(t, s.Client.List(t.Context(), &apps, client.InNamespace(s.Namespace)))
	for _, app := range apps.Items {
		if app.Status.Rendered != nil {
			texts["the rendered manifests of "+app.Name] = unpacked(t, app.Status.Rendered.URL)
		}
	}
	return texts
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}

// sourceStatuses leaves out specs: an address stands there as its owner wrote it.
func sourceStatuses(t *testing.T, s *lab.Space) string {
	t.Helper()
	var git sourcev1.GitRepositoryList
	must(t, s.Client.List(t.Context(), &git, client.InNamespace(s.Namespace)))
	var oci sourcev1.OCIRepositoryList
	must(t, s.Client.List(t.Context(), &oci, client.InNamespace(s.Namespace)))
	var all strings.Builder
	for _, o := range git.Items {
		all.WriteString(asJSON(t, o.Status))
	}
	for _, o := range oci.Items {
		all.WriteString(asJSON(t, o.Status))
	}
	return all.String()
}

// fetched is the body of an answer, whatever its code.
func fetched(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	must(t, err)
	answer, err := (&http.Client{}).Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return string(text)
}

// said is what one run of the binary printed on both of its streams.
func said(t *testing.T, s *lab.Space, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.CLI(), append(args, "--kubeconfig", s.Cluster.AdminKubeconfig(), "-n", s.Namespace)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		must(t, err)
	}
	if len(out) == 0 {
		t.Errorf("holdfast %s says nothing: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

// unpacked is the text within an archive.
func unpacked(t *testing.T, url string) string {
	t.Helper()
	packed, err := gzip.NewReader(strings.NewReader(fetched(t, url)))
	must(t, err)
	var all strings.Builder
	for files := tar.NewReader(packed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		all.WriteString(header.Name + "\n")
		_, err = io.Copy(&all, files) //nolint:gosec // our own archive
		must(t, err)
	}
	if all.Len() < 20 {
		t.Errorf("%s is empty", url)
	}
	return all.String()
}
