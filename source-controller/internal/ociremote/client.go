// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/retry"
)

const (
	maxRedirects = 5
	idleFor      = 90 * time.Second
	// A registry that asks for more patience than this is asked again by the
	// controller's own backoff.
	maxRetries   = 3
	maxRetryWait = 3 * time.Second
)

// client is one way to one registry: connections, tokens, and whether the
// registry speaks TLS.
type client struct {
	auth   auth.Client
	own    *http.Transport
	others *http.Transport // for where the registry redirects to
	host   string
	login  Login
	mayBe  bool // plain HTTP may be tried
	told   bool // it was allowed by name, not by the registry's address

	mu    sync.Mutex
	known bool
	plain bool
}

func newClient(remote Remote, userAgent string) (*client, error) {
	settings, err := trust(remote)
	if err != nil {
		return nil, err
	}
	// Whom a registry redirects to is not whom the certificate was made for.
	strangers := settings.Clone()
	strangers.Certificates = nil
	c := &client{
		own:    newTransport(remote, settings),
		others: newTransport(remote, strangers),
		host:   remote.Repository.Registry,
		login:  remote.Login,
		mayBe:  remote.Insecure || remote.Repository.MayBePlain,
		told:   remote.Insecure,
	}
	policy := &retry.GenericPolicy{
		Retryable: retry.DefaultPredicate, Backoff: retry.DefaultBackoff,
		MinWait: 100 * time.Millisecond, MaxWait: maxRetryWait, MaxRetry: maxRetries,
	}
	c.auth = auth.Client{
		Client: &http.Client{
			Transport: &retry.Transport{
				Base:   split{own: c.own, others: c.others, host: c.host},
				Policy: func() retry.Policy { return policy },
			},
			CheckRedirect: checkRedirect,
		},
		Header:     http.Header{"User-Agent": {userAgent}},
		Credential: c.credential,
		Cache:      auth.NewCache(),
	}
	return c, nil
}

// trust is what the connection accepts. The given authorities extend the
// system's. Without any, an insecure remote accepts every certificate: Flux
// does, and a stricter reading would break those who rely on it.
func trust(remote Remote) (*tls.Config, error) {
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if remote.Certificates == nil {
		settings.InsecureSkipVerify = remote.Insecure //nolint:gosec // asked for by spec.insecure, warned about by the caller
		return settings, nil
	}
	if ca := remote.Certificates.CA(); len(ca) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		pool.AppendCertsFromPEM(ca)
		settings.RootCAs = pool
	}
	if certificate, key := remote.Certificates.ClientCertificate(); len(certificate) > 0 {
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return nil, errors.New("the client certificate and its key do not fit together")
		}
		settings.Certificates = []tls.Certificate{pair}
	}
	return settings, nil
}

func newTransport(remote Remote, settings *tls.Config) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = settings
	transport.IdleConnTimeout = idleFor
	transport.MaxIdleConnsPerHost = 4
	// A registry that compresses a blob once more would change its bytes.
	transport.DisableCompression = true
	if remote.Proxy != nil {
		transport.Proxy = http.ProxyURL(remote.Proxy)
	}
	return transport
}

// split sends a request that a redirect led to another host without the client
// certificate.
type split struct {
	own, others http.RoundTripper
	host        string
}

func (s split) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Response != nil && req.URL.Host != s.host {
		return s.others.RoundTrip(req)
	}
	return s.own.RoundTrip(req)
}

// checkRedirect bounds redirects. That no credential goes along is seen to by
// the library; that nothing goes from TLS into the clear is seen to here.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	if before := via[len(via)-1].URL; before.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("redirected from TLS at %s to plain HTTP at %s, which is not followed", before.Host, req.URL.Host)
	}
	return nil
}

// credential gives the login to the registry it was made for.
func (c *client) credential(_ context.Context, host string) (auth.Credential, error) {
	if host != c.host {
		return auth.EmptyCredential, nil
	}
	return auth.Credential{
		Username:     c.login.username,
		Password:     c.login.password,
		RefreshToken: c.login.refresh,
		AccessToken:  c.login.access,
	}, nil
}

// close ends connections that nothing uses.
func (c *client) close() {
	c.own.CloseIdleConnections()
	c.others.CloseIdleConnections()
}

// scheme finds out how the registry is spoken to, once: HTTPS where it can be,
// plain HTTP where that is allowed and HTTPS is not spoken. A certificate that
// is not trusted is no reason to fall back.
func (c *client) scheme(ctx context.Context) (plain bool, err error) {
	if !c.mayBe {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.plain, nil
	}
	secure := c.ping(ctx, "https")
	switch {
	case secure == nil:
		c.known = true
	case !isUntrusted(secure) && (c.told || speaksNoTLS(secure)) && c.ping(ctx, "http") == nil:
		c.known, c.plain = true, true
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	// Neither was reached: HTTPS is the one whose error explains.
	return c.plain, nil
}

// ping asks without credentials; any answer will do.
func (c *client) ping(ctx context.Context, scheme string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+c.host+"/v2/", nil)
	if err != nil {
		return err
	}
	resp, err := c.own.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// isUntrusted tells a server whose TLS does not hold.
func isUntrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	return errors.As(err, &certificate) || errors.As(err, &alert)
}

// speaksNoTLS tells a server that was reached and speaks something else, or does
// not listen where TLS would be.
func speaksNoTLS(err error) bool {
	var record tls.RecordHeaderError
	return errors.As(err, &record) || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") || isRefused(err)
}
