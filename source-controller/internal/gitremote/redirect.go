// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitwire"
)

const (
	maxRedirects = 5
	discovery    = "/info/refs"
	maxIdle      = 90 * time.Second
)

// server is a Git server behind an address.
type server struct {
	address  *url.URL // after redirects
	trusted  bool     // whether it may get the credentials
	greeting gitwire.Greeting
}

// remote is how to reach the server for whoever has these credentials now: a
// token may have been renewed since the server was found.
func (s server) remote(auth credentials.Auth) Remote {
	if !s.trusted {
		auth = auth.TrustOnly()
	}
	return Remote{Address: s.address, Auth: auth}
}

// link is what is kept of an HTTP remote between two looks: open connections,
// and whom to ask.
type link struct {
	own   *http.Client
	other *http.Client // shows no certificate

	mu    sync.Mutex
	known *server
}

func (l *link) get() (server, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		return server{}, false
	}
	return *l.known, true
}

func (l *link) set(known *server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = known
}

func (l *link) client(trusted bool) *http.Client {
	if trusted {
		return l.own
	}
	return l.other
}

func (l *link) close() {
	l.own.CloseIdleConnections()
	l.other.CloseIdleConnections()
}

// link gives what is kept of a remote.
func (m *Mirrors) link(remote Remote) (*link, error) {
	name := m.name(remote)
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept, found := m.links[name]; found {
		return kept, nil
	}
	own, err := m.httpClient(remote.Auth)
	if err != nil {
		return nil, err
	}
	other, err := m.httpClient(remote.Auth.TrustOnly())
	if err != nil {
		return nil, err
	}
	m.links[name] = &link{own: own, other: other}
	return m.links[name], nil
}

// remotely runs git for an operation that talks to the remote. Git follows no
// redirect by itself, because it would take an authorization header along to
// the new host; where one is answered, the operation is run again against the
// address that was found.
func (m *Mirrors) remotely(ctx context.Context, remote Remote, operation func(settings) error) error {
	if remote.Address.Scheme == schemeSSH {
		return redacted(remote, m.overSSH(ctx, remote, operation))
	}
	l, err := m.link(remote)
	if err != nil {
		return redacted(remote, err)
	}
	to := remote
	if known, found := l.get(); found {
		to = known.remote(remote.Auth)
	}
	err = m.connected(to, operation)
	if FaultOf(err) == Redirected {
		found, lost := l.discover(ctx, remote)
		if lost != nil {
			return redacted(remote, wireFault(ctx, lost))
		}
		err = m.connected(found.remote(remote.Auth), operation)
	}
	return redacted(remote, err)
}

// Reach gives the address behind a remote's redirects, with the credentials that
// it may see, for a client that must not follow any by itself.
func (m *Mirrors) Reach(ctx context.Context, remote Remote) (Remote, error) {
	if remote.Address.Scheme == schemeSSH {
		return remote, nil
	}
	l, err := m.link(remote)
	if err != nil {
		return Remote{}, redacted(remote, err)
	}
	if known, found := l.get(); found {
		return known.remote(remote.Auth), nil
	}
	found, err := l.discover(ctx, remote)
	if err != nil {
		return Remote{}, redacted(remote, wireFault(ctx, err))
	}
	return found.remote(remote.Auth), nil
}

// Refused is the error of another client on a remote, without a credential and
// bounded as all of this package's are.
func Refused(ctx context.Context, remote Remote, fault Fault, err error) error {
	if why := ended(ctx); why != nil {
		return why
	}
	return redacted(remote, &Error{Fault: fault, Message: oneLine(err.Error())})
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

// discover greets the remote, and follows redirects of that request as git
// would. Credentials go along only where the host stays the same and the
// connection is not weakened; once they are left behind they stay behind.
func (l *link) discover(ctx context.Context, remote Remote) (server, error) {
	at := server{address: remote.Address, trusted: true}
	for range maxRedirects {
		next, err := l.greet(ctx, &at, remote.Auth)
		switch {
		case FaultOf(err) == Unauthorized && !at.trusted:
			return server{}, &Error{Fault: Unauthorized, Cause: err, Message: fmt.Sprintf(
				"the remote redirects to %s, another host, which wants credentials; set spec.url to it if it may get them", credentials.Public(at.address))}
		case err != nil || next == nil:
			return at, err
		case at.address.Scheme == "https" && next.Scheme != "https":
			return server{}, &Error{Fault: Redirected, Message: "the remote redirects to an unencrypted address, which is not followed: " + credentials.Public(next)}
		}
		at.trusted = at.trusted && sameHost(at.address, next)
		at.address = next
	}
	return server{}, &Error{Fault: Redirected, Message: fmt.Sprintf("the remote redirects more than %d times", maxRedirects)}
}

// greet asks one address. It notes the greeting, or gives the base address that
// is redirected to.
func (l *link) greet(ctx context.Context, at *server, auth credentials.Auth) (*url.URL, error) {
	request, err := newRequest(ctx, http.MethodGet, at.remote(auth), discovery, nil)
	if err != nil {
		return nil, err
	}
	response, err := l.client(at.trusted).Do(request)
	if err != nil {
		return nil, rootCause(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 && response.StatusCode <= 399 {
		return baseOf(response)
	}
	if err := statusFault(response); err != nil {
		return nil, err
	}
	at.greeting, err = gitwire.ReadGreeting(response.Body)
	return nil, err
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
	through := http.ProxyFromEnvironment
	if proxy := auth.Proxy(); proxy != nil {
		through = http.ProxyURL(proxy)
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: trust, Proxy: through, IdleConnTimeout: maxIdle, MaxIdleConnsPerHost: 1, ForceAttemptHTTP2: true},
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
