// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"github.com/spf13/pflag"

	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
)

// Flags of an install, which bootstrap has too. The tag of the images is the
// binary's own release.
func Flags(set *pflag.FlagSet, o *manifests.Options, release string) {
	*o = manifests.Defaults()
	if len(release) > 1 && release[0] == 'v' && release[1] >= '0' && release[1] <= '9' {
		o.Tag = release
	}
	set.StringSliceVar(&o.Components, "components", o.Components, "controllers to install")
	set.StringVar(&o.Registry, "registry", o.Registry, "registry of the images")
	set.StringVar(&o.Tag, "tag", o.Tag, "tag of the images (default: this binary's release)")
	set.StringVar(&o.ImagePullSecret, "image-pull-secret", "", "Secret of "+manifests.Namespace+" that the images are pulled with")
	set.BoolVar(&o.NetworkPolicy, "network-policy", true, "let only consumers reach artifacts")
	set.StringVar(&o.ClusterDomain, "cluster-domain", o.ClusterDomain, "domain of the cluster's services")
	set.StringSliceVar(&o.TolerationKeys, "toleration-keys", nil, "taints that the controllers tolerate")
	set.StringVar(&o.EventsAddr, "events-addr", "", "address of Flux's notification-controller, for events")
	set.StringToStringVar(&o.Memory, "memory", nil, "memory limit by controller, as in source-controller=2Gi")
}
