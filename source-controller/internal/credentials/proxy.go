// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package credentials

import (
	"fmt"
	"net/url"
	"slices"
)

// addressKey names the address in the Secret of a proxy, as in Flux.
const addressKey = "address"

// maxProxyAddress bounds the address of a proxy, as in Flux.
const maxProxyAddress = 2048

// proxySchemes are those that an HTTP connection can be led through.
var proxySchemes = []string{"http", "https", "socks5"}

// Proxy reads the Secret of a proxy. No error quotes the address: people write
// the password into it.
func Proxy(data map[string][]byte) (*url.URL, error) {
	raw := data[addressKey]
	if len(raw) == 0 || len(raw) > maxProxyAddress {
		return nil, fmt.Errorf("%w: key %q must hold the address of the proxy, such as http://host:port", ErrInvalid, addressKey)
	}
	address, err := url.Parse(string(raw))
	if err != nil || address.Host == "" || !slices.Contains(proxySchemes, address.Scheme) {
		return nil, fmt.Errorf("%w: key %q is no address of a proxy; write http, https or socks5, then ://host:port", ErrInvalid, addressKey)
	}
	username, password := string(data[usernameKey]), string(data[passwordKey])
	switch {
	case username != "" && password != "":
		address.User = url.UserPassword(username, password)
	case username != "":
		address.User = url.User(username)
	}
	return address, nil
}
