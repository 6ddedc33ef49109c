// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Keys of the Secret, as in Flux.
const (
	usernameKey    = "username"
	passwordKey    = "password"
	bearerTokenKey = "bearerToken"
	certKey        = "tls.crt"
	privateKeyKey  = "tls.key"
	caKey          = "ca.crt"
	oldCAKey       = "caFile"
	identityKey    = "identity"
	knownHostsKey  = "known_hosts"
)

// schemeSSH is the scheme of addresses that are reached with a key.
const schemeSSH = "ssh"

// defaultUser is whom Git hosts expect over SSH.
const defaultUser = "git"

// ErrInvalid is the kind of error for a Secret whose keys do not fit together.
var ErrInvalid = errors.New("invalid credentials")

// Auth is how a connection proves itself and what it trusts. The zero value is
// an anonymous connection that trusts the system's authorities.
type Auth struct {
	username string
	password string
	bearer   string
	ca       []byte
	cert     []byte
	key      []byte
	ssh      SSH
	proxy    *url.URL
	lasting  string // stands for credentials that change by themselves
}

// SSH is what a connection over SSH needs.
type SSH struct {
	Identity   []byte // a private key in PEM
	Passphrase string
	KnownHosts []byte
}

// New reads the data of a Secret (nil for none) for the given address, whose
// user information is used where the Secret has none.
func New(address *url.URL, data map[string][]byte) (Auth, error) {
	if address.Scheme == schemeSSH {
		return newSSH(address, data)
	}
	a := Auth{cert: data[certKey], key: data[privateKeyKey], ca: data[caKey]}
	if len(a.ca) == 0 {
		a.ca = data[oldCAKey]
	}
	// A Secret with both kinds means the token: Flux reads it that way, and
	// Secrets that serve several tools exist.
	if token, found := data[bearerTokenKey]; found {
		a.bearer = string(token)
	} else {
		a.username, a.password = string(data[usernameKey]), string(data[passwordKey])
	}
	if a.username == "" {
		a.username = address.User.Username()
	}
	if a.password == "" {
		a.password, _ = address.User.Password()
	}
	return a, a.validate()
}

// newSSH needs a key and the hosts that it may be shown to: a connection to a
// host that nobody vouches for is not made.
func newSSH(address *url.URL, data map[string][]byte) (Auth, error) {
	a := Auth{username: address.User.Username(), ssh: SSH{
		Identity: data[identityKey], KnownHosts: data[knownHostsKey], Passphrase: string(data[passwordKey]),
	}}
	if a.username == "" {
		a.username = defaultUser
	}
	for _, key := range []string{identityKey, knownHostsKey} {
		if len(data[key]) == 0 {
			return Auth{}, fmt.Errorf("%w: invalid 'ssh' auth option: '%s' is required in the Secret of spec.secretRef", ErrInvalid, key)
		}
	}
	return a, nil
}

// SSH is the key and the known hosts, empty for HTTP.
func (a Auth) SSH() SSH { return a.ssh }

// Username is whom a connection is made as.
func (a Auth) Username() string { return a.username }

// Proxy is where connections go through, nil for the environment's choice.
func (a Auth) Proxy() *url.URL { return a.proxy }

// WithProxy sends connections through a proxy.
func (a Auth) WithProxy(proxy *url.URL) Auth {
	a.proxy = proxy
	return a
}

// WithToken replaces what the connection proves itself with. A token lives for
// an hour; lasting stands for what it was made from, so that a new one does not
// look like other credentials.
func (a Auth) WithToken(username, password, bearer, lasting string) Auth {
	a.username, a.password, a.bearer, a.lasting = username, password, bearer, lasting
	return a
}

func (a Auth) validate() error {
	if a.username == "" && a.password != "" {
		return fmt.Errorf("%w: key %q requires key %q to be set", ErrInvalid, passwordKey, usernameKey)
	}
	if a.bearer != "" && a.username != "" {
		return fmt.Errorf("%w: key %q and user information in spec.url cannot be set at the same time", ErrInvalid, bearerTokenKey)
	}
	if strings.ContainsAny(a.bearer, "\r\n") {
		return fmt.Errorf("%w: key %q has a line break; store it without one", ErrInvalid, bearerTokenKey)
	}
	if len(a.ca) > 0 && !x509.NewCertPool().AppendCertsFromPEM(a.ca) {
		return fmt.Errorf("%w: key %q holds no PEM certificate", ErrInvalid, caKey)
	}
	if (len(a.cert) == 0) != (len(a.key) == 0) {
		return fmt.Errorf("%w: keys %q and %q must be set together", ErrInvalid, certKey, privateKeyKey)
	}
	if len(a.cert) > 0 {
		// The parser's own words may quote the key, so they are dropped.
		if _, err := tls.X509KeyPair(a.cert, a.key); err != nil {
			return fmt.Errorf("%w: keys %q and %q are no matching PEM pair", ErrInvalid, certKey, privateKeyKey)
		}
	}
	return nil
}

// Header is the value of the Authorization header, empty for an anonymous
// connection.
func (a Auth) Header() string {
	switch {
	case len(a.ssh.Identity) > 0:
		return ""
	case a.bearer != "":
		return "Bearer " + a.bearer
	case a.username != "" || a.password != "":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.username+":"+a.password))
	default:
		return ""
	}
}

// Password is what a name proves itself with over HTTP.
func (a Auth) Password() string { return a.password }

// Bearer is a token that stands for a name.
func (a Auth) Bearer() string { return a.bearer }

// Anonymous tells whether no credential is sent.
func (a Auth) Anonymous() bool { return a.Header() == "" && len(a.cert) == 0 }

// CA are extra certificate authorities in PEM, beside the system's.
func (a Auth) CA() []byte { return a.ca }

// ClientCertificate is the certificate and its key in PEM, nil for none.
func (a Auth) ClientCertificate() (cert, key []byte) { return a.cert, a.key }

// TrustOnly keeps what the connection trusts and drops what it proves itself
// with: for a host that the credentials were not given for.
func (a Auth) TrustOnly() Auth { return Auth{ca: a.ca, proxy: a.proxy} }

// Fingerprint identifies the credentials without giving them away, also to
// someone who can guess: it is keyed.
func (a Auth) Fingerprint(key []byte) string {
	mac := hmac.New(sha256.New, key)
	own := [][]byte{[]byte(a.username), []byte(a.password), []byte(a.bearer)}
	if a.lasting != "" {
		own = [][]byte{[]byte("lasting"), []byte(a.lasting)}
	}
	proxy := ""
	if a.proxy != nil {
		proxy = a.proxy.String()
	}
	for _, part := range append(own, a.ca, a.cert, a.key, a.ssh.Identity, []byte(a.ssh.Passphrase), a.ssh.KnownHosts, []byte(proxy)) {
		// The length keeps "ab","c" apart from "a","bc".
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return hex.EncodeToString(mac.Sum(nil))
}
