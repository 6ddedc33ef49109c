// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Identity is the service account whose rights count. The zero value is the
// user of the configuration itself.
type Identity struct{ Namespace, ServiceAccount string }

// IsZero says that no account is acted as.
func (i Identity) IsZero() bool { return i == Identity{} }

// String is the user name that the account has in RBAC and in the audit log.
func (i Identity) String() string {
	if i.IsZero() {
		return ""
	}
	return "system:serviceaccount:" + i.Namespace + ":" + i.ServiceAccount
}

// Options of a connection; zero values stand for the defaults.
type Options struct {
	// DryRuns that run at once against one cluster, whoever asks. They meet
	// real webhooks. Default 4.
	DryRuns int
	// Reads of objects that run at once against one cluster. The API server's
	// own fairness decides beyond that. Default 16.
	Reads int
	// Timeout of a single request. Default 30s.
	Timeout time.Duration
	// MaxAge of discovery and schemas that nothing has invalidated.
	// Default 10m.
	MaxAge time.Duration
	// EvidenceAge of lists that serve as evidence, such as autoscalers.
	// Default 10s: one burst of comparisons asks once.
	EvidenceAge time.Duration
	// AdmissionAge of the mutating configurations. Default 10s; who watches
	// them and calls Invalidate can do with more.
	AdmissionAge time.Duration
}

func (o Options) withDefaults() Options {
	o.DryRuns = cmp.Or(o.DryRuns, 4)
	o.Reads = cmp.Or(o.Reads, 16)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.MaxAge = cmp.Or(o.MaxAge, 10*time.Minute)
	o.EvidenceAge = cmp.Or(o.EvidenceAge, 10*time.Second)
	o.AdmissionAge = cmp.Or(o.AdmissionAge, 10*time.Second)
	return o
}

// Cluster is one cluster, seen with the rights of one account.
type Cluster struct {
	*server
	identity Identity
	objects  reader
	metadata metadata.Interface
	dry      dryRunner
	reviews  reviewer
	mark     mark
	denied   *denials
	lists    *recent
}

// server is what all accounts share.
type server struct {
	config    *rest.Config
	options   Options
	discovery *discovery.DiscoveryClient
	kinds     *kindCache
	schemas   *schemaCache
	admission *admissionCache
	reads     slots
	dryRuns   slots
	// definitions that changed since the start, by name.
	definitions sync.Map

	mu       sync.Mutex
	accounts map[Identity]*Cluster
}

// Connect prepares to read the cluster as the configuration's own user. It
// sends no request.
func Connect(cfg *rest.Config, o Options) (*Cluster, error) {
	s := &server{
		config: rest.CopyConfig(cfg), options: o.withDefaults(), accounts: map[Identity]*Cluster{},
	}
	// The server's priority and fairness is the rate limit; ours are slots.
	s.config.QPS = -1
	s.config.WarningHandler = rest.NoWarnings{}
	s.reads, s.dryRuns = newSlots(s.options.Reads), newSlots(s.options.DryRuns)
	// Discovery takes no context, so it needs a timeout of its own.
	bounded := rest.CopyConfig(s.config)
	bounded.Timeout = s.options.Timeout
	var err error
	if s.discovery, err = discovery.NewDiscoveryClientForConfig(bounded); err != nil {
		return nil, fmt.Errorf("discovery client: %w", err)
	}
	fresh := freshness{maxAge: s.options.MaxAge, now: time.Now}
	s.kinds = &kindCache{ask: s.discovery, fresh: fresh}
	s.schemas = &schemaCache{ask: s.discovery.OpenAPIV3, fresh: fresh}
	c, err := s.as(Identity{})
	if err != nil {
		return nil, err
	}
	s.admission = &admissionCache{own: c, maxAge: s.options.AdmissionAge, now: time.Now}
	return c, nil
}

// As is the same cluster with the rights of a service account. It sends no
// request, and gives the same Cluster for the same account: what an account
// may not do is remembered there.
func (c *Cluster) As(i Identity) (*Cluster, error) {
	return c.as(i)
}

func (s *server) as(i Identity) (*Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.accounts[i]; ok {
		return known, nil
	}
	c, err := s.open(i)
	if err != nil {
		return nil, err
	}
	s.accounts[i] = c
	return c, nil
}

func (s *server) open(i Identity) (*Cluster, error) {
	cfg := rest.CopyConfig(s.config)
	if !i.IsZero() {
		cfg.Impersonate = rest.ImpersonationConfig{UserName: i.String()}
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("client for %s: %w", i, err)
	}
	meta, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("metadata client for %s: %w", i, err)
	}
	reviews, err := authorization.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("client for reviews as %s: %w", i, err)
	}
	return &Cluster{
		server: s, identity: i, metadata: meta,
		objects: reader{client: client, slots: s.reads, timeout: s.options.Timeout},
		dry:     dryRunner{client: client, slots: s.dryRuns, timeout: s.options.Timeout},
		reviews: reviewer{client: reviews.SelfSubjectAccessReviews(), slots: s.reads, timeout: s.options.Timeout},
		denied:  newDenials(time.Now),
		lists:   newRecent(s.options.EvidenceAge, time.Now),
	}, nil
}

// Identity is whose rights count.
func (c *Cluster) Identity() Identity { return c.identity }

// Metadata is a client for metadata with the same rights, for package watch.
func (c *Cluster) Metadata() metadata.Interface { return c.metadata }

// account names the user in messages.
func (c *Cluster) account() string {
	if c.identity.IsZero() {
		return "this user"
	}
	return c.identity.String()
}

// slots bound how much runs at once.
type slots chan struct{}

func newSlots(n int) slots { return make(slots, n) }

func (s slots) take(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for a free request: %w", ctx.Err())
	}
}

func (s slots) free() { <-s }
