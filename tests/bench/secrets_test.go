// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSecretRules is a full static run over a repository of 1,000
// ExternalSecrets and 500 workloads, as a merge request has it: the binary
// renders, masks, runs all rules, looks through the files and prints.
func BenchmarkSecretRules(b *testing.B) {
	dir := b.TempDir()
	check(b, secretsRepository(dir, 1000, 500))
	for b.Loop() {
		began, cmd := time.Now(), exec.CommandContext(b.Context(), "../../bin/holdfast", "lint", "secrets", dir, "-n", "shop", "-o", "json")
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		waited := time.Since(began)
		// Exit code 1 says that there are findings, and there are.
		if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			b.Fatalf("%v\n%s%s", err, errs.String(), out)
		}
		if !strings.Contains(string(out), `"rule": "env-literal"`) {
			b.Fatalf("the run found nothing: %.2000s", out)
		}
		usage, known := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !known {
			b.Fatal("the system does not tell what a process used")
		}
		b.ReportMetric(float64(waited.Milliseconds()), "ms/run")
		b.ReportMetric(float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Milliseconds()), "cpu-ms/run")
		b.ReportMetric(float64(usage.Maxrss)/1024, "MiB-peak")
	}
	b.ReportMetric(0, "ns/op")
}

const (
	benchStore = `apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {vault: {server: https://vault.example, path: kv, auth: {kubernetes: {mountPath: kubernetes, role: shop}}}}}
`
	benchExternalSecret = `---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: db-%[1]d
  namespace: shop
  labels: {app.kubernetes.io/name: db-%[1]d, app.kubernetes.io/part-of: shop}
spec:
  refreshInterval: 1h
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target:
    name: db-%[1]d
    template:
      data:
        url: "postgres://{{ .username }}:{{ .password }}@db-%[1]d.shop.svc:5432/app"
        password: "{{ .password }}"
  data:
    - {secretKey: username, remoteRef: {key: shop/db-%[1]d, property: username}}
    - {secretKey: password, remoteRef: {key: shop/db-%[1]d, property: password}}
`
	benchWorkload = `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: api-%[1]d
  namespace: shop
  labels: {app.kubernetes.io/name: api-%[1]d, app.kubernetes.io/part-of: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app.kubernetes.io/name: api-%[1]d}}
  template:
    metadata: {labels: {app.kubernetes.io/name: api-%[1]d}}
    spec:
      containers:
        - name: api
          image: registry.example/shop/api@sha256:%064[1]x
          args: ["--listen=:8080", "--log-level=info"]
          ports: [{containerPort: 8080, name: http}]
          env:
            - {name: DATABASE_URL, valueFrom: {secretKeyRef: {name: db-%[1]d, key: url}}}
            - {name: DATABASE_PASSWORD, valueFrom: {secretKeyRef: {name: db-%[2]d, key: password}}}
            - {name: LOG_LEVEL, value: info}
            - {name: FEATURE_FLAGS, value: "checkout,search-v2"}
          resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
          readinessProbe: {httpGet: {path: /ready, port: http}}
          volumeMounts: [{name: tls, mountPath: /etc/tls, readOnly: true}]
      volumes:
        - {name: tls, secret: {secretName: db-%[1]d}}
`
	benchLeak = "            - {name: API_PASSWORD, value: kR7vQ2nXw8}\n"
)

// secretsRepository writes a folder of thirty-one files; every fiftieth
// workload has a password in the open.
func secretsRepository(dir string, declared, workloads int) error {
	const files = 30
	texts := make([]strings.Builder, files)
	for i := range declared {
		fmt.Fprintf(&texts[i%files], benchExternalSecret, i)
	}
	for i := range workloads {
		text := fmt.Sprintf(benchWorkload, i, (i+workloads)%declared)
		if i%50 == 0 {
			text = strings.Replace(text, "            - {name: LOG_LEVEL", benchLeak+"            - {name: LOG_LEVEL", 1)
		}
		texts[i%files].WriteString(text)
	}
	if err := os.WriteFile(filepath.Join(dir, "store.yaml"), []byte(benchStore), 0o600); err != nil {
		return err
	}
	for i := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%02d.yaml", i)), []byte(texts[i].String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}
