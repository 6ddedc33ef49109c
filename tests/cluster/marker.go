// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/holdfast-gitops/holdfast/tests/audit"
)

// markerTimeout is long: a loaded machine writes its log late, not never.
const markerTimeout = 30 * time.Second

// auditUpTo sends a request that nobody else sends, and reads the log until it
// is there. What was answered before it is then there too. The marker itself
// is left out.
func auditUpTo(ctx context.Context, log *audit.Log, config *rest.Config) ([]audit.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, markerTimeout)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("audit marker: %w", err)
	}
	marker := "holdfast-audit-" + rand.Text()
	if err := client.RESTClient().Get().AbsPath("/version").Param("marker", marker).Do(ctx).Error(); err != nil {
		return nil, fmt.Errorf("audit marker: %w", err)
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		events, err := log.Read()
		if err != nil {
			return nil, err
		}
		for index, event := range slices.Backward(events) {
			if strings.Contains(event.RequestURI, marker) {
				return append(events[:index:index], events[index+1:]...), nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the audit log %s does not show our own request to /version, does the policy log it? %w", log.Path, ctx.Err())
		case <-tick.C:
		}
	}
}
