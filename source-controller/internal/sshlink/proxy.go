// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sshlink

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"golang.org/x/net/proxy"
)

// connect opens a connection to a host and port, through a proxy where one is
// given. Errors carry the proxy's address without its user information.
func connect(ctx context.Context, through *url.URL, at string) (net.Conn, error) {
	if through == nil {
		return proxy.Dial(ctx, "tcp", at)
	}
	switch through.Scheme {
	case "http", "https":
		return tunnel(ctx, through, at)
	default:
		dialer, err := proxy.FromURL(through, proxy.Direct)
		if err != nil {
			return nil, fmt.Errorf("the proxy %s cannot be used: it has an unknown scheme", through.Host)
		}
		withContext, able := dialer.(proxy.ContextDialer)
		if !able {
			return nil, fmt.Errorf("the proxy %s cannot be used with a time limit", through.Host)
		}
		return withContext.DialContext(ctx, "tcp", at)
	}
}

// tunnel asks an HTTP proxy to connect.
func tunnel(ctx context.Context, through *url.URL, at string) (net.Conn, error) {
	conn, err := dialProxy(ctx, through)
	if err != nil {
		return nil, fmt.Errorf("the proxy %s cannot be reached: %w", through.Host, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: at}, Host: at, Header: http.Header{}}
	if user := through.User; user != nil {
		password, _ := user.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		request.Header.Set("Proxy-Authorization", "Basic "+credentials)
	}
	answers := bufio.NewReaderSize(conn, 1<<10)
	var response *http.Response
	if err = request.Write(conn); err == nil {
		response, err = http.ReadResponse(answers, request)
	}
	switch {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("the proxy %s did not answer: %w", through.Host, err), conn.Close())
	case response.StatusCode != http.StatusOK:
		_ = response.Body.Close()
		return nil, errors.Join(fmt.Errorf("the proxy %s answered %s", through.Host, response.Status), conn.Close())
	}
	return &buffered{Conn: conn, ahead: answers}, nil
}

func dialProxy(ctx context.Context, through *url.URL) (net.Conn, error) {
	port := through.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[through.Scheme]
	}
	at := net.JoinHostPort(through.Hostname(), port)
	if through.Scheme == "https" {
		return (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext(ctx, "tcp", at)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", at)
}

// buffered is a connection of which some bytes were read ahead: an SSH server
// speaks first, and may do so together with the proxy's answer.
type buffered struct {
	net.Conn
	ahead *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) { return b.ahead.Read(p) }
