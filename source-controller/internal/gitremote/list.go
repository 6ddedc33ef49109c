// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitwire"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

const schemeSSH = "ssh"

// List asks the remote for the references that begin with one of the prefixes,
// none for all of them. A server that cannot leave out references sends more.
// It is one small request where the server was asked before.
func (m *Mirrors) List(ctx context.Context, remote Remote, prefixes []string) ([]reference.Ref, error) {
	var refs []reference.Ref
	var err error
	if remote.Address.Scheme == schemeSSH {
		refs, err = m.listSSH(ctx, remote, prefixes)
	} else {
		refs, err = m.listHTTP(ctx, remote, prefixes)
	}
	if err != nil {
		return nil, redacted(remote, wireFault(ctx, err))
	}
	return refs, nil
}

// listHTTP asks at once for what is wanted where it is known whom to ask in
// which protocol. Anything but a good answer makes it ask from the beginning.
func (m *Mirrors) listHTTP(ctx context.Context, remote Remote, prefixes []string) ([]reference.Ref, error) {
	l, err := m.link(remote)
	if err != nil {
		return nil, err
	}
	if known, found := l.get(); found {
		if refs, err := l.ask(ctx, known, remote.Auth, prefixes); err == nil {
			return refs, nil
		}
		l.set(nil)
	}
	found, err := l.discover(ctx, remote)
	if err != nil {
		return nil, err
	}
	if !found.greeting.Lists {
		return found.greeting.Refs, nil
	}
	refs, err := l.ask(ctx, found, remote.Auth, prefixes)
	if err == nil {
		l.set(&found)
	}
	return refs, err
}

// ask sends one request of protocol 2.
func (l *link) ask(ctx context.Context, to server, auth credentials.Auth, prefixes []string) ([]reference.Ref, error) {
	body := strings.NewReader(gitwire.Request(to.greeting.Format, prefixes))
	request, err := newRequest(ctx, http.MethodPost, to.remote(auth), "/"+gitwire.Service, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-"+gitwire.Service+"-request")
	response, err := l.client(to.trusted).Do(request)
	if err != nil {
		return nil, rootCause(err)
	}
	defer response.Body.Close()
	if err := statusFault(response); err != nil {
		return nil, err
	}
	return gitwire.ReadRefs(response.Body, to.greeting.Format)
}

// newRequest is a request for a path below the repository's address, with the
// credentials that the address may see.
func newRequest(ctx context.Context, method string, remote Remote, below string, body io.Reader) (*http.Request, error) {
	address := *remote.Address
	address.Path = strings.TrimSuffix(address.Path, "/") + below
	if address.RawPath != "" {
		address.RawPath = strings.TrimSuffix(address.RawPath, "/") + below
	}
	if below == discovery {
		query := address.Query()
		query.Set("service", gitwire.Service)
		address.RawQuery = query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address.String(), body)
	if err != nil {
		return nil, &Error{Fault: Unreachable, Message: "the address cannot be asked", Cause: rootCause(err)}
	}
	request.Header.Set("User-Agent", "git/holdfast")
	request.Header.Set("Git-Protocol", gitwire.Protocol)
	if header := remote.Auth.Header(); header != "" {
		request.Header.Set("Authorization", header)
	}
	return request, nil
}

// statusFault reads a refusal from the status; what a server writes below it is
// for browsers.
func statusFault(response *http.Response) error {
	fault := Unreachable
	switch response.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		fault = Unauthorized
	case http.StatusNotFound, http.StatusGone:
		fault = NotFound
	}
	return &Error{Fault: fault, Message: fmt.Sprintf("the remote answered %q", response.Status)}
}

// listSSH starts the service and asks it.
func (m *Mirrors) listSSH(ctx context.Context, remote Remote, prefixes []string) ([]reference.Ref, error) {
	session, err := sshlink.Start(ctx, m.host(remote), gitwire.Service, gitwire.Protocol)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	greeting, err := gitwire.ReadGreeting(session.Out)
	if err != nil {
		return nil, silentEnd(session, err)
	}
	refs := greeting.Refs
	if greeting.Lists {
		if _, err := io.WriteString(session.In, gitwire.Request(greeting.Format, prefixes)); err != nil {
			return nil, err
		}
		if refs, err = gitwire.ReadRefs(session.Out, greeting.Format); err != nil {
			return nil, silentEnd(session, err)
		}
	}
	_, _ = io.WriteString(session.In, gitwire.Goodbye)
	return refs, nil
}

// silentEnd adds what the program on the other side complained about: a host
// that has no such repository says so there, and nothing in the protocol.
func silentEnd(session *sshlink.Session, err error) error {
	if !errors.Is(err, gitwire.ErrProtocol) {
		return err
	}
	_ = session.In.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(session.Out, 1<<16))
	_ = session.Wait()
	said := oneLine(session.Said())
	if said == "" {
		return err
	}
	fault := classify(said)
	if fault == Broken {
		fault = Unreachable // it is their disk that is meant
	}
	return &Error{Fault: fault, Message: said, Cause: err}
}

// host is a remote as SSH knows it.
func (m *Mirrors) host(remote Remote) sshlink.Host {
	auth := remote.Auth.SSH()
	address := *remote.Address
	address.User = url.User(remote.Auth.Username())
	return sshlink.Host{
		Address: &address, Identity: auth.Identity, Passphrase: auth.Passphrase,
		KnownHosts: auth.KnownHosts, Proxy: remote.Auth.Proxy(), Algorithms: m.ssh.algorithms,
	}
}

// wireFault gives the fault of what was not said by git.
func wireFault(ctx context.Context, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if why := ended(ctx); why != nil {
		return why
	}
	fault := Unreachable
	switch {
	case errors.Is(err, sshlink.ErrKey), errors.Is(err, sshlink.ErrEncrypted), errors.Is(err, sshlink.ErrRefused):
		fault = Unauthorized
	case errors.Is(err, gitwire.ErrTooLong):
		fault = TooLarge
	case errors.Is(err, gitwire.ErrRemote):
		fault = classify(err.Error())
	}
	return &Error{Fault: fault, Message: oneLine(err.Error()), Cause: err}
}
