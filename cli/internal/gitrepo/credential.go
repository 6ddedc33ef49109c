// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
)

// Credential is what opens a repository. Its values are never printed.
type Credential struct {
	Username, Password string
	// Bearer sends the password as a bearer token.
	Bearer bool
	// PrivateKey is PEM; KnownHosts are lines as in an SSH client's file.
	PrivateKey, KnownHosts []byte
	Passphrase             string
	// CA are PEM certificates to trust for HTTPS.
	CA []byte
}

// ErrAddress is an address that cannot be used.
var ErrAddress = errors.New("--url")

// Parse checks an address. A credential in it would get into Git and into
// every log that names the repository.
func Parse(address string, insecure bool) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%w: write an address such as https://git.example.com/team/fleet or ssh://git@git.example.com/team/fleet", ErrAddress)
	}
	if _, has := u.User.Password(); has || u.User != nil && u.Scheme != "ssh" {
		return nil, fmt.Errorf("%w holds a user or a password: leave it out, and give --username and the password by GIT_PASSWORD or --password-file", ErrAddress)
	}
	switch {
	case u.Scheme == "https", u.Scheme == "ssh":
		return u, nil
	case u.Scheme == "http" && insecure:
		return u, nil
	case u.Scheme == "http":
		return nil, fmt.Errorf("%w is http, which sends the credential in the open: use https, or say --allow-insecure-http", ErrAddress)
	default:
		return nil, fmt.Errorf("%w: scheme %q is not one of https, ssh", ErrAddress, u.Scheme)
	}
}

func (c Credential) method(u *url.URL) (transport.AuthMethod, error) {
	if u.Scheme != "ssh" {
		switch {
		case c.Bearer:
			return &githttp.TokenAuth{Token: c.Password}, nil
		case c.Password == "":
			return nil, nil
		default:
			return &githttp.BasicAuth{Username: c.Username, Password: c.Password}, nil
		}
	}
	user := u.User.Username()
	if user == "" {
		user = "git"
	}
	keys, err := gitssh.NewPublicKeys(user, c.PrivateKey, c.Passphrase)
	if err != nil {
		return nil, fmt.Errorf("the private key cannot be read: %w (a passphrase is given by --private-key-passphrase-file)", err)
	}
	keys.HostKeyCallback = c.hostKey
	return keys, nil
}

// HostKeyError is a server that is not the one that is known.
type HostKeyError struct {
	Host, Fingerprint string
	// Changed: the host is known by another key.
	Changed bool
}

func (e *HostKeyError) Error() string {
	if e.Changed {
		return fmt.Sprintf("the host key of %s has changed: it now shows %s", e.Host, e.Fingerprint)
	}
	return fmt.Sprintf("the host key of %s is not known: it shows %s", e.Host, e.Fingerprint)
}

// hostKey trusts what the known hosts say and nothing else.
func (c Credential) hostKey(host string, _ net.Addr, key ssh.PublicKey) error {
	rest, known := c.KnownHosts, false
	for len(rest) > 0 {
		marker, hosts, found, _, next, err := ssh.ParseKnownHosts(rest)
		if err != nil {
			break
		}
		rest = next
		if !names(hosts, host) {
			continue
		}
		same := bytes.Equal(found.Marshal(), key.Marshal())
		if marker == "revoked" && same {
			break
		}
		if same {
			return nil
		}
		known = known || found.Type() == key.Type()
	}
	return &HostKeyError{Host: host, Fingerprint: ssh.FingerprintSHA256(key), Changed: known}
}

// names compares a host as known_hosts writes it: with a port in brackets, or
// without where it is 22.
func names(hosts []string, address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = address, "22"
	}
	for _, h := range hosts {
		if h == "["+host+"]:"+port || port == "22" && h == host {
			return true
		}
	}
	return false
}

// Secret is the credential as a source's Secret holds it.
func (c Credential) Secret() map[string][]byte {
	data := map[string][]byte{}
	put := func(key string, value []byte) {
		if len(value) > 0 {
			data[key] = value
		}
	}
	switch {
	case len(c.PrivateKey) > 0:
		put("identity", c.PrivateKey)
		put("known_hosts", c.KnownHosts)
		put("password", []byte(c.Passphrase))
		if signer, err := parseKey(c.PrivateKey, c.Passphrase); err == nil {
			put("identity.pub", ssh.MarshalAuthorizedKey(signer.PublicKey()))
		}
	case c.Bearer:
		put("bearerToken", []byte(c.Password))
	default:
		put("username", []byte(c.Username))
		put("password", []byte(c.Password))
	}
	put("ca.crt", c.CA)
	return data
}

func parseKey(pem []byte, passphrase string) (ssh.Signer, error) {
	if passphrase != "" {
		return ssh.ParsePrivateKeyWithPassphrase(pem, []byte(passphrase))
	}
	return ssh.ParsePrivateKey(pem)
}
