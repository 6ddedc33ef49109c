// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/tests/lab"
	"github.com/holdfast-gitops/holdfast/tests/registry"
)

const levelled = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {LEVEL: LEVEL}
`

// TestApplicationFromRegistry: an Application follows a tag in a registry, as it
// would follow a branch; the tag that moves is seen, and so is what it changes.
func TestApplicationFromRegistry(t *testing.T) {
	s := lab.Get(t).Space(t, "")
	packages, err := registry.Start(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(packages.Close)
	source := &sourcev1.OCIRepository{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "packages"},
		Spec: sourcev1.OCIRepositorySpec{
			URL: "oci://" + packages.Host + "/app", Reference: &sourcev1.OCIRepositoryRef{Tag: "stable"},
			Interval: metav1.Duration{Duration: time.Minute}, Provider: sourcev1.GenericOCIProvider,
		},
	}
	deploy(t, s, "helm", strings.ReplaceAll(levelled, "LEVEL: LEVEL", "LEVEL: info"))
	first := publish(t, s, packages, "info")
	must(t, s.Client.Create(t.Context(), source))
	must(t, s.Declare(t.Context(), "app", "deploy", []byte("sourceRef: {kind: OCIRepository, name: packages}")))
	must(t, s.Await(t.Context(), "app", lab.Condition{Type: contract.SyncedCondition, Status: "True"}))
	checkSource(t, s, source, "stable@"+first)

	second := publish(t, s, packages, "debug")
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"now"}}}`, contract.RequestedAtAnnotation)
	must(t, s.Client.Patch(t.Context(), source, client.RawPatch("application/merge-patch+json", []byte(patch))))
	must(t, s.Await(t.Context(), "app", lab.Condition{Type: contract.SyncedCondition, Status: "False"}))
	checkSource(t, s, source, "stable@"+second)
}

// publish pushes the settings with a level, and makes the Space wait for them.
func publish(t *testing.T, s *lab.Space, packages *registry.Registry, level string) string {
	t.Helper()
	digest, err := packages.Push(t.Context(), "app", "stable", map[string]string{
		"deploy/settings.yaml": strings.ReplaceAll(levelled, "LEVEL: LEVEL", "LEVEL: "+level),
	})
	must(t, err)
	s.Commit = digest
	return digest
}

// checkSource waits until a source is Ready with a revision, and everything that
// people and consumers read says the same.
func checkSource(t *testing.T, s *lab.Space, source *sourcev1.OCIRepository, revision string) {
	t.Helper()
	until(t, func(ctx context.Context) error {
		if err := s.Client.Get(ctx, client.ObjectKeyFromObject(source), source); err != nil {
			return err
		}
		artifact := source.GetArtifact()
		if !artifact.HasRevision(revision) || artifact.Size == nil {
			return fmt.Errorf("want %s, have %+v", revision, artifact)
		}
		_, digest, _ := strings.Cut(revision, "@")
		path := "ocirepository/" + s.Namespace + "/packages/"
		if artifact.Path != path+digest+".tar.gz" || !strings.HasSuffix(source.Status.URL, "/"+path+"latest.tar.gz") {
			return fmt.Errorf("it is at %s, the latest at %s", artifact.Path, source.Status.URL)
		}
		for _, c := range source.Status.Conditions {
			if c.Status != metav1.ConditionTrue || c.ObservedGeneration != source.Generation ||
				(c.Type != fluxmeta.ReadyCondition && c.Type != sourcev1.ArtifactInStorageCondition) {
				return fmt.Errorf("condition %s is %s: %s", c.Type, c.Status, c.Message)
			}
		}
		return nil
	})
}
