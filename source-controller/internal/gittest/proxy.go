// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittest

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"
)

// Proxy is an HTTP or SOCKS5 proxy that asks for a name and a password.
type Proxy struct {
	URL *url.URL // without user information

	mu     sync.Mutex
	passed []string
}

const (
	// ProxyUser and ProxyPassword are what every proxy here asks for.
	ProxyUser     = "proxy-user"
	ProxyPassword = "pr0xy-p4ss"
)

// Passed gives the hosts that connections went to since the last call.
func (p *Proxy) Passed() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	passed := p.passed
	p.passed = nil
	return passed
}

func (p *Proxy) pass(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed = append(p.passed, host)
}

// HTTPProxy starts a proxy that forwards requests and opens tunnels.
func HTTPProxy(t testing.TB) *Proxy {
	t.Helper()
	p := &Proxy{}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(ProxyUser+":"+ProxyPassword))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Proxy-Authorization") != want:
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method == http.MethodConnect:
			p.pass(r.Host)
			p.tunnel(w, r.Host)
		default:
			p.pass(r.URL.Host)
			forward(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p.URL, _ = url.Parse(server.URL)
	return p
}

func (p *Proxy) tunnel(w http.ResponseWriter, host string) {
	to, err := net.Dial("tcp", host)
	if err != nil {
		http.Error(w, "no", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	from, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = to.Close()
		return
	}
	join(from, buffered, to)
}

func forward(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	out.Header.Del("Proxy-Authorization")
	response, err := (&http.Transport{}).RoundTrip(out)
	if err != nil {
		http.Error(w, "no", http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	for key, values := range response.Header {
		w.Header()[key] = values
	}
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}

func join(from net.Conn, ahead io.Reader, to net.Conn) {
	go func() {
		defer from.Close()
		_, _ = io.Copy(from, to)
	}()
	go func() {
		defer to.Close()
		_, _ = io.Copy(to, ahead)
	}()
}

// SOCKSProxy starts a SOCKS5 proxy.
func SOCKSProxy(t testing.TB) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &Proxy{URL: &url.URL{Scheme: "socks5", Host: listener.Addr().String()}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				if !p.socks(conn) {
					_ = conn.Close()
				}
			}()
		}
	}()
	return p
}

// socks is the little of RFC 1928 and 1929 that a CONNECT with a password needs.
func (p *Proxy) socks(conn net.Conn) bool {
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(conn, b)
		return b
	}
	read(int(read(2)[1])) // the methods that are offered
	if _, err := conn.Write([]byte{5, 2}); err != nil {
		return false
	}
	name := string(read(int(read(2)[1])))
	password := string(read(int(read(1)[0])))
	if name != ProxyUser || password != ProxyPassword {
		_, _ = conn.Write([]byte{1, 1})
		return false
	}
	if _, err := conn.Write([]byte{1, 0}); err != nil {
		return false
	}
	var host string
	switch read(4)[3] {
	case 1:
		host = net.IP(read(net.IPv4len)).String()
	case 3:
		host = string(read(int(read(1)[0])))
	case 4:
		host = net.IP(read(net.IPv6len)).String()
	}
	at := net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(read(2)))))
	to, err := net.Dial("tcp", at)
	if err != nil {
		return false
	}
	p.pass(at)
	if _, err := conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0}); err != nil {
		return false
	}
	join(conn, conn, to)
	return true
}
