// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
)

const (
	maxRedirects = 5
	discovery    = "/info/refs"
	service      = "git-upload-pack"
)

// remotely runs an operation that talks to the remote. Git follows no redirect
// by itself, because it would take an authorization header along to the new
// host; where one is answered, it is followed here, and the operation is run
// again against the address that was found.
func (m *Mirrors) remotely(ctx context.Context, remote Remote, operation func(settings) error) error {
	err := m.connected(remote, operation)
	if FaultOf(err) == Redirected {
		moved, resolveErr := m.resolve(ctx, remote)
		if resolveErr != nil {
			return redacted(remote, resolveErr)
		}
		err = m.connected(moved, operation)
		if FaultOf(err) == Unauthorized && moved.Auth.Header() != remote.Auth.Header() {
			err = &Error{Fault: Unauthorized, Cause: err, Message: fmt.Sprintf(
				"the remote redirects to %s, another host, which wants credentials; set spec.url to it if it may get them", credentials.Public(moved.Address))}
		}
	}
	return redacted(remote, err)
}

func (m *Mirrors) connected(remote Remote, operation func(settings) error) error {
	set, release, err := m.connection(remote)
	if err != nil {
		return &Error{Fault: Broken, Message: "cannot prepare a connection", Cause: err}
	}
	defer release()
	return operation(set)
}

// redacted takes every credential out of a message: servers echo requests, and
// git quotes addresses. What kind of refusal it was is said in our own words.
func redacted(remote Remote, err error) error {
	var fault *Error
	if !errors.As(err, &fault) {
		return err
	}
	message := strings.ReplaceAll(fault.Message, remote.Address.String(), credentials.Public(remote.Address))
	message = remote.Auth.Redact(message)
	if fault.Fault == Unauthorized {
		message = refused(remote) + ": " + message
	}
	// The cause is git's exit or the context's end; neither quotes anything.
	return &Error{Fault: fault.Fault, Message: message, Cause: fault.Cause}
}

// refused says it from the side of the user: what git says about a prompt that
// nobody could answer points at the wrong end.
func refused(remote Remote) string {
	if remote.Auth.Header() == "" {
		return "authentication required, and spec.secretRef gives no credentials"
	}
	return "authentication failed: the remote refused the credentials"
}

// resolve follows redirects of the request that Git begins with. Credentials go
// along only where the host stays the same and the connection is not weakened.
func (m *Mirrors) resolve(ctx context.Context, remote Remote) (Remote, error) {
	client, err := m.httpClient(remote.Auth)
	if err != nil {
		return Remote{}, err
	}
	defer client.CloseIdleConnections()
	for range maxRedirects {
		next, err := nextHop(ctx, client, remote)
		if err != nil {
			return Remote{}, err
		}
		if next == nil {
			return remote, nil
		}
		if remote.Address.Scheme == "https" && next.Scheme != "https" {
			return Remote{}, &Error{Fault: Redirected, Message: "the remote redirects to an unencrypted address, which is not followed: " + credentials.Public(next)}
		}
		auth := remote.Auth
		if !sameHost(remote.Address, next) {
			auth = auth.TrustOnly()
		}
		remote = Remote{Address: next, Auth: auth}
	}
	return Remote{}, &Error{Fault: Redirected, Message: fmt.Sprintf("the remote redirects more than %d times", maxRedirects)}
}

// nextHop asks one address, and gives the base address that it redirects to, or
// nil where it does not.
func nextHop(ctx context.Context, client *http.Client, remote Remote) (*url.URL, error) {
	asked := *remote.Address
	asked.Path = strings.TrimSuffix(asked.Path, "/") + discovery
	query := asked.Query()
	query.Set("service", service)
	asked.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.String(), nil)
	if err != nil {
		return nil, &Error{Fault: Redirected, Message: "cannot follow a redirect", Cause: err}
	}
	request.Header.Set("User-Agent", "git/holdfast")
	if header := remote.Auth.Header(); header != "" {
		request.Header.Set("Authorization", header)
	}
	response, err := client.Do(request)
	if err != nil {
		if why := ended(ctx); why != nil {
			return nil, why
		}
		return nil, &Error{Fault: Unreachable, Message: "cannot follow a redirect of the remote: " + rootCause(err).Error(), Cause: rootCause(err)}
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, 1<<16)
	if response.StatusCode < 300 || response.StatusCode > 399 {
		return nil, nil
	}
	return baseOf(response)
}

// baseOf checks where a redirect leads. Git's own rule: the part that Git added
// to the address must still be there, or the target is not the same repository.
func baseOf(response *http.Response) (*url.URL, error) {
	location, err := response.Location()
	if err != nil {
		return nil, &Error{Fault: Redirected, Message: "the remote redirects without saying where to", Cause: err}
	}
	path, found := strings.CutSuffix(location.Path, discovery)
	if !found || (location.Scheme != "http" && location.Scheme != "https") {
		return nil, &Error{Fault: Redirected, Message: "the remote redirects to an address that is no Git repository: " + credentials.Public(location)}
	}
	base := *credentials.WithoutUser(location)
	base.Path, base.RawPath = path, strings.TrimSuffix(location.RawPath, discovery)
	query := base.Query()
	query.Del("service")
	base.RawQuery = query.Encode()
	return &base, nil
}

// sameHost tells whether credentials for one address may go to the other: the
// same name and port, or the encrypted default port of the same name.
func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return port(from) == "80" && port(to) == "443"
}

func port(address *url.URL) string {
	if explicit := address.Port(); explicit != "" {
		return explicit
	}
	if address.Scheme == "https" {
		return "443"
	}
	return "80"
}

func (m *Mirrors) httpClient(auth credentials.Auth) (*http.Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(auth.CA()) > 0 {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(m.withSystemCAs(auth.CA()))
		trust.RootCAs = pool
	}
	if cert, key := auth.ClientCertificate(); len(cert) > 0 {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, &Error{Fault: Unauthorized, Message: "the client certificate cannot be used"}
		}
		trust.Certificates = []tls.Certificate{pair}
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: trust, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// rootCause drops the address that the HTTP client puts before a failure.
func rootCause(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
