// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "fmt"

const generatorGroup = "generators.external-secrets.io"

// generatorKeys are the keys that ESO's generators yield.
var generatorKeys = map[string][]string{
	"ACRAccessToken":        {"username", "password"},
	"GCRAccessToken":        {"username", "password", "expiry"},
	"ECRAuthorizationToken": {"username", "password", "proxy_endpoint", "expires_at"},
	"CloudsmithAccessToken": {"auth", "expiry"},
	"QuayAccessToken":       {"registry", "auth", "expiry"},
	"GithubAccessToken":     {"token"},
	"Grafana":               {"login", "token"},
	"STSSessionToken":       {"access_key_id", "secret_access_key", "session_token", "expiration"},
	"Password":              {"password"},
	"SSHKey":                {"privateKey", "publicKey"},
	"UUID":                  {"uuid"},
	"MFA":                   {"token", "timeLeft"},
}

func generatorID(kind, namespace, name string) string {
	return kind + "/" + namespace + "/" + name
}

// readGenerator notes the keys of generators whose own spec decides them.
func readGenerator(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	keys := keysOfGenerator(object.Ref.Kind, spec)
	namespace := object.Ref.Namespace
	if object.Ref.Kind == "ClusterGenerator" {
		namespace = ""
		keys = Keys{Open: "a ClusterGenerator yields what the generator within it yields"}
	}
	s.generators[generatorID(object.Ref.Kind, namespace, object.Ref.Name)] = keys
}

func keysOfGenerator(kind string, spec node) Keys {
	var keys Keys
	switch kind {
	case "Password":
		if named := spec.get("secretKeys").texts(); len(named) > 0 {
			keys.add(named...)
			return keys
		}
	case "Fake":
		keys.add(spec.get("data").keys()...)
		return keys
	case "ECRAuthorizationToken":
		if spec.get("scope").text() == "public" {
			keys.add("username", "password", "expires_at")
			return keys
		}
	}
	known, listed := generatorKeys[kind]
	if !listed {
		return Keys{Open: fmt.Sprintf("what a %s generator yields depends on its answer", kind)}
	}
	keys.add(known...)
	return keys
}

// yield gives the keys of a generator reference. A generator that is not in
// the set may still name its keys itself, where its kind allows that.
func (s Set) yield(ref GeneratorReference, namespace string) Keys {
	if ref.Kind == "ClusterGenerator" {
		namespace = ""
	}
	if keys, declared := s.generators[generatorID(ref.Kind, namespace, ref.Name)]; declared {
		return keys
	}
	switch ref.Kind {
	case "Password", "Fake", "ECRAuthorizationToken", "ClusterGenerator":
		return Keys{Open: fmt.Sprintf("the %s generator %s is not in this artifact", ref.Kind, ref.Name)}
	}
	return keysOfGenerator(ref.Kind, node{})
}
