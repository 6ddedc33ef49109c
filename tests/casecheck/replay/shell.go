// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// commandTime bounds one step: kubectl waits for nothing here.
const commandTime = time.Minute

// shell runs lines in the folder, with the control plane's own kubectl first
// in the path and the administrator's rights.
func (s *Stage) shell(ctx context.Context, dir, lines, editor string) error {
	kubectl, err := s.cluster.Kubectl()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-eu", "-c", lines)
	command.Dir = dir
	command.Env = append(os.Environ(),
		"PATH="+filepath.Dir(kubectl)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"KUBECONFIG="+s.cluster.AdminKubeconfig(), "HOME="+dir, "KUBE_EDITOR="+editor,
	)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", lines, err, output.String())
	}
	return nil
}

// createAs creates a recorded object in the name of its recorded manager.
func (s *Stage) createAs(ctx context.Context, recorded manifest.Object, uids map[types.UID]types.UID) (*unstructured.Unstructured, error) {
	resource, err := s.resource(recorded.Unstructured)
	if err != nil {
		return nil, err
	}
	return resource.Create(ctx, newborn(recorded.Unstructured, uids), metav1.CreateOptions{FieldManager: others(recorded)})
}

// writeEdited lays the content of the recorded object over the present one.
func writeEdited(path string, present, recorded *unstructured.Unstructured) error {
	edited := present.DeepCopy()
	for name, field := range recorded.Object {
		switch name {
		case "apiVersion", "kind", "metadata", "status":
		default:
			edited.Object[name] = field
		}
	}
	edited.SetLabels(recorded.GetLabels())
	edited.SetAnnotations(recorded.GetAnnotations())
	edited.SetManagedFields(nil)
	data, err := edited.MarshalJSON()
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// writeCA makes a throw-away certificate: cases that inject one take any.
func writeCA(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
}
