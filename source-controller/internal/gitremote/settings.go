// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

// settings is Git configuration, passed in the environment so that a command
// line shows neither address nor credential.
type settings map[string]string

// fixed holds for every call. The empty helper and askpass keep git from asking
// anyone; a repository cannot change any of it, since nothing reads its files.
var fixed = settings{
	"core.askPass":             "",
	"core.attributesFile":      os.DevNull,
	"core.bigFileThreshold":    "64m",
	"core.deltaBaseCacheLimit": "32m",
	"core.fsync":               "none", // a mirror can always be fetched again
	"core.hooksPath":           os.DevNull,
	"core.logAllRefUpdates":    "false",
	"credential.helper":        "",
	"fetch.recurseSubmodules":  "false",
	"fetch.showForcedUpdates":  "false",
	"fetch.unpackLimit":        "1", // one pack a fetch, instead of loose files
	"fetch.writeCommitGraph":   "false",
	"gc.auto":                  "0",
	"http.followRedirects":     "false",
	"maintenance.auto":         "false",
	"pack.threads":             "1",
	"protocol.allow":           "never",
	"protocol.http.allow":      "always",
	"protocol.https.allow":     "always",
	"protocol.ssh.allow":       "always",
	"protocol.version":         "2",
	"transfer.bundleURI":       "false",
}

// Settings of what git starts in the place of ssh; git gets them as variables.
const (
	sshProgram = "holdfast.ssh.program"
	sshSocket  = "holdfast.ssh.socket"
)

// environment gives the settings, fixed ones included, in the form git reads.
func (s settings) environment(gitDir string) []string {
	all := make(settings, len(fixed)+len(s))
	for _, set := range []settings{fixed, s} {
		for key, value := range set {
			all[key] = value
		}
	}
	env := []string{"GIT_DIR=" + gitDir, "GIT_CONFIG_COUNT=" + strconv.Itoa(len(all))}
	if _, own := s["http.proxy"]; own {
		// The object's proxy is for all hosts, whatever the environment excepts.
		env = append(env, "no_proxy=", "NO_PROXY=")
	}
	if socket, found := s[sshSocket]; found {
		// GIT_SSH is started as it is, with no shell that would read it.
		env = append(env, "GIT_SSH="+s[sshProgram], "GIT_SSH_VARIANT=ssh", sshlink.Variable+"="+socket)
	}
	for i, key := range all.keys() {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, all[key]))
	}
	return env
}

func (s settings) keys() []string {
	keys := make([]string, 0, len(s))
	for key := range s {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// passed are the variables of the controller's environment that git may see.
var passed = []string{
	"PATH", "TMPDIR",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}

// baseEnvironment is what every call gets: no configuration of the machine or
// of a user, no prompt, no protocol but HTTP, messages that can be read.
func baseEnvironment(environ []string, home string) []string {
	env := []string{
		"GIT_ALLOW_PROTOCOL=http:https:ssh",
		"GIT_ASKPASS=",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_PROTOCOL_FROM_USER=0",
		"GIT_SSH=" + os.DevNull, // until a call says otherwise, see overSSH
		"GIT_TERMINAL_PROMPT=0",
		"HOME=" + home,
		"LC_ALL=C",
		"SSH_ASKPASS=",
		"XDG_CONFIG_HOME=" + home,
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case slices.Contains(passed, name):
			env = append(env, variable)
		case name == "HTTP_PROXY":
			// Go reads this spelling, the library under git does not.
			env = append(env, "http_proxy="+value)
		}
	}
	return env
}

// connection gives the settings for one remote, and writes what git reads only
// from files (authorities and client certificates) to a scratch folder that
// release removes.
func (m *Mirrors) connection(remote Remote) (set settings, release func(), err error) {
	set = settings{"remote.origin.url": remote.Address.String(), "remote.origin.tagOpt": "--no-tags"}
	if header := remote.Auth.Header(); header != "" {
		set["http.extraHeader"] = "Authorization: " + header
	}
	if m.systemCAs != "" {
		set["http.sslCAInfo"] = m.systemCAs
	}
	if proxy := remote.Auth.Proxy(); proxy != nil {
		set["http.proxy"] = gitProxy(proxy)
	}
	cert, key := remote.Auth.ClientCertificate()
	if len(remote.Auth.CA()) == 0 && len(cert) == 0 {
		return set, func() {}, nil
	}
	scratch, err := os.MkdirTemp(m.scratch, "tls-")
	if err != nil {
		return nil, nil, fmt.Errorf("cannot write certificates for git: %w", err)
	}
	release = func() { _ = os.RemoveAll(scratch) }
	files := map[string][]byte{"http.sslCert": cert, "http.sslKey": key}
	if len(remote.Auth.CA()) > 0 {
		files["http.sslCAInfo"] = m.withSystemCAs(remote.Auth.CA())
	}
	for setting, content := range files {
		if len(content) == 0 {
			continue
		}
		path := filepath.Join(scratch, setting)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			release()
			return nil, nil, fmt.Errorf("cannot write certificates for git: %w", err)
		}
		set[setting] = path
	}
	return set, release, nil
}

// gitProxy is a proxy as the library under git has it: names are resolved by the
// proxy, as Go does it.
func gitProxy(proxy *url.URL) string {
	shown := *proxy
	if shown.Scheme == "socks5" {
		shown.Scheme = "socks5h"
	}
	return shown.String()
}

// withSystemCAs joins a Secret's authorities with the system's: the contract
// extends the pool, git's setting replaces it.
func (m *Mirrors) withSystemCAs(extra []byte) []byte {
	system := m.systemCAs
	if system == "" {
		system = firstFile(systemCAFiles)
	}
	bundle, err := os.ReadFile(system)
	if err != nil {
		return extra
	}
	return append(append(bundle, '\n'), extra...)
}

// systemCAFiles are where distributions keep their bundle.
var systemCAFiles = []string{
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/etc/ssl/cert.pem",
}

func firstFile(candidates []string) string {
	for _, candidate := range candidates {
		if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() {
			return candidate
		}
	}
	return ""
}
