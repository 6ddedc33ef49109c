// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sshlink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/fluxcd/pkg/ssh/knownhosts"
	"golang.org/x/crypto/ssh"
)

// Kinds of failure.
var (
	// ErrKey: the private key cannot be used.
	ErrKey = errors.New("the SSH private key cannot be used")
	// ErrEncrypted: the private key needs a passphrase.
	ErrEncrypted = errors.New("the SSH private key is encrypted")
	// ErrHostKey: the host is not the one that is known, or not known at all.
	ErrHostKey = errors.New("the SSH host key is not trusted")
	// ErrRefused: the host does not accept the key.
	ErrRefused = errors.New("the SSH host refused the key")
	// ErrUnreachable: there is no connection.
	ErrUnreachable = errors.New("the SSH host cannot be reached")
)

const defaultPort = "22"

// Algorithms restrict what is negotiated; empty leaves it to the library.
type Algorithms struct {
	KeyExchanges []string
	HostKeys     []string
}

// Host is where to connect to, and as whom.
type Host struct {
	Address    *url.URL // ssh://user@host:port/path
	Identity   []byte   // a private key in PEM
	Passphrase string
	KnownHosts []byte
	Proxy      *url.URL // nil for a direct connection
	Algorithms Algorithms
}

// CheckIdentity tells whether a private key can be used with a passphrase.
func CheckIdentity(identity []byte, passphrase string) error {
	_, err := signer(identity, passphrase)
	return err
}

// signer reads a private key. The parser's own words may quote it.
func signer(identity []byte, passphrase string) (ssh.Signer, error) {
	key, err := ssh.ParsePrivateKey(identity)
	var encrypted *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return key, nil
	case !errors.As(err, &encrypted):
		return nil, fmt.Errorf("%w: it is no private key in PEM", ErrKey)
	case passphrase == "":
		return nil, ErrEncrypted
	}
	key, err = ssh.ParsePrivateKeyWithPassphrase(identity, []byte(passphrase))
	if err != nil {
		return nil, fmt.Errorf("%w: its passphrase does not open it", ErrKey)
	}
	return key, nil
}

// dial opens a connection that proved to be the host's. It ends with the
// context.
func dial(ctx context.Context, host Host) (*ssh.Client, error) {
	config, err := clientConfig(host)
	if err != nil {
		return nil, err
	}
	at := hostPort(host.Address)
	raw, err := connect(ctx, host.Proxy, at)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	// The handshake knows no context, but it ends when its connection does.
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	link, channels, requests, err := ssh.NewClientConn(raw, at, config)
	if err != nil {
		stop()
		_ = raw.Close()
		return nil, handshakeFailure(ctx, at, err)
	}
	return ssh.NewClient(link, channels, requests), nil
}

func clientConfig(host Host) (*ssh.ClientConfig, error) {
	key, err := signer(host.Identity, host.Passphrase)
	if err != nil {
		return nil, err
	}
	check, algorithms, err := knownhosts.New(host.KnownHosts)
	if err != nil {
		return nil, fmt.Errorf("%w: the known hosts cannot be read; write one line a host, as ssh-keyscan prints it", ErrHostKey)
	}
	if len(algorithms) == 1 && algorithms[0] == ssh.KeyAlgoRSA {
		// One and the same key, signed with a hash that still holds.
		algorithms = []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA}
	}
	if len(host.Algorithms.HostKeys) > 0 {
		algorithms = host.Algorithms.HostKeys
	}
	config := &ssh.ClientConfig{
		User:              host.Address.User.Username(),
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(key)},
		HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(hostname string, remote net.Addr, key ssh.PublicKey) error {
			if err := check(hostname, remote, key); err != nil {
				return fmt.Errorf("%w: %s offers the key %s of type %s, which is not among the known hosts: %w",
					ErrHostKey, hostname, ssh.FingerprintSHA256(key), key.Type(), err)
			}
			return nil
		},
	}
	config.KeyExchanges = host.Algorithms.KeyExchanges
	return config, nil
}

// handshakeFailure tells a wrong key from a wrong host and a broken connection.
// The library has one error for all that happens after the host proved itself.
func handshakeFailure(ctx context.Context, at string, err error) error {
	var algorithms *ssh.AlgorithmNegotiationError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnreachable, context.Cause(ctx))
	case errors.Is(err, ErrHostKey):
		return err
	case errors.As(err, &algorithms):
		return fmt.Errorf("%w: no common algorithm with %s: %w", ErrHostKey, at, err)
	case strings.Contains(err.Error(), "unable to authenticate"):
		return fmt.Errorf("%w: %s does not accept it", ErrRefused, at)
	default:
		return fmt.Errorf("%w: %s: %w", ErrUnreachable, at, err)
	}
}

func hostPort(address *url.URL) string {
	port := address.Port()
	if port == "" {
		port = defaultPort
	}
	return net.JoinHostPort(address.Hostname(), port)
}
