// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
)

// Gates are the features that are off unless asked for.
type Gates struct {
	// CacheSecrets keeps Secrets in the watch cache: fewer requests, more memory,
	// and the right to list and watch them.
	CacheSecrets bool
	// ObjectLevelWorkloadIdentity lets an object act as a service account of its
	// own at a cloud provider.
	ObjectLevelWorkloadIdentity bool
}

// SSH restricts what is negotiated with an SSH server; empty for the defaults.
type SSH struct {
	KexAlgorithms     []string
	HostKeyAlgorithms []string
}

// TokenCache bounds the cache of cloud tokens; a size of zero turns it off.
type TokenCache struct {
	MaxSize     int
	MaxDuration time.Duration
}

// Compat is what the bytes of an artifact have to agree with.
type Compat string

// What artifacts may agree with. The uncompressed tar is Flux's in both.
const (
	CompatTar  Compat = "tar"  // the compression is ours, and repeats no work
	CompatFlux Compat = "flux" // the compressed bytes are Flux's too
)

// GitClient is what fetches from Git.
type GitClient string

// Clients.
const (
	ClientGit   GitClient = "git"   // the git program
	ClientGoGit GitClient = "gogit" // Flux's own client
)

// Names of the gates, as Flux has them.
const (
	gateCacheSecrets   = "CacheSecretsAndConfigMaps"
	gateObjectIdentity = "ObjectLevelWorkloadIdentity"
)

// bindContract adds the flags of Flux's binary that are about single features,
// and those that this binary understands and has no use for: a Deployment that
// sets them must start. It gives where the gates will stand.
func bindContract(flags *pflag.FlagSet, o *Options) *map[string]bool {
	flags.StringSliceVar(&o.SSH.KexAlgorithms, "ssh-kex-algos", nil, "The key exchange algorithms for SSH, the most preferred first.")
	flags.StringSliceVar(&o.SSH.HostKeyAlgorithms, "ssh-hostkey-algos", nil, "The host key algorithms for SSH, the most preferred first.")
	flags.StringVar(&o.DefaultServiceAccount, "default-service-account", "", "The service account for workload identity where an object names none.")
	flags.IntVar(&o.TokenCache.MaxSize, "token-cache-max-size", 100, "The maximum size of the cache in number of tokens; 0 turns it off.")
	flags.DurationVar(&o.TokenCache.MaxDuration, "token-cache-max-duration", time.Hour, "The maximum duration a token is cached.")
	flags.StringVar((*string)(&o.ArtifactCompat), "artifact-compat", string(CompatTar), "What artifacts agree with byte for byte: tar (Flux's uncompressed tar; what did not change is not compressed again) or flux (the compressed bytes too).")
	gates := map[string]bool{}
	flags.Var(cliflag.NewMapStringBool(&gates), "feature-gates", "A comma separated list of key=value pairs defining the state of experimental features.")
	bindIgnored(flags)
	return &gates
}

// bindIgnored accepts what concerns Helm's kinds, which are not served here.
func bindIgnored(flags *pflag.FlagSet) {
	const note = "Accepted for Flux's command lines; Helm repositories and charts are not served."
	for name, value := range map[string]int64{
		"helm-index-max-size": 50 << 20, "helm-chart-max-size": 10 << 20, "helm-chart-file-max-size": 5 << 20, "helm-cache-max-size": 0,
	} {
		flags.Int64(name, value, note)
	}
	flags.String("helm-cache-ttl", "15m", note)
	flags.String("helm-cache-purge-interval", "1m", note)
}

// parseGates refuses what is unknown: a gate with a typing error would leave a
// feature off that somebody relies on.
func parseGates(asked map[string]bool) (Gates, error) {
	var gates Gates
	known := map[string]*bool{
		gateCacheSecrets:   &gates.CacheSecrets,
		gateObjectIdentity: &gates.ObjectLevelWorkloadIdentity,
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		gate, found := known[name]
		if !found {
			return Gates{}, fmt.Errorf("--feature-gates: feature-gate '%s' not supported; there are %s",
				name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		*gate = asked[name]
	}
	return gates, nil
}
