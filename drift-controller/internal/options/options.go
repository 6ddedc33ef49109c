// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"flag"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/fluxcd/pkg/runtime/client"
	"github.com/fluxcd/pkg/runtime/leaderelection"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/spf13/pflag"
	// Registers --kubeconfig with the standard flags.
	_ "sigs.k8s.io/controller-runtime/pkg/client/config"
)

// Options are the settings of one process.
type Options struct {
	MetricsAddr string
	HealthAddr  string
	EventsAddr  string
	Concurrent  int
	// StoragePath keeps the mask key, unpacked artifacts and renders.
	StoragePath string
	// StorageAddr serves rendered artifacts; StorageAdvAddr is what statuses
	// name, as host:port.
	StorageAddr    string
	StorageAdvAddr string
	// MaxAge bounds how old the judgement of an unchanged object may be.
	MaxAge time.Duration
	// DryRuns bounds the dry runs under way at once.
	DryRuns int
	// MaxArtifactSize bounds an artifact that is fetched, in bytes.
	MaxArtifactSize int64
	Client          client.Options
	Log             logger.Options
	LeaderElection  leaderelection.Options

	Namespace string // that this process runs in, empty outside a cluster
	Version   string // of this build
}

// Parse reads the arguments (without the program's name) and the environment.
// A request for help is pflag.ErrHelp.
func Parse(args, environ []string) (Options, error) {
	env := map[string]string{}
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	o := Options{Namespace: env["RUNTIME_NAMESPACE"]}
	flags := pflag.NewFlagSet("drift-controller", pflag.ContinueOnError)
	o.bind(flags, env)
	if err := flags.Parse(args); err != nil {
		return Options{}, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		return Options{}, fmt.Errorf("unexpected arguments: %s", strings.Join(rest, " "))
	}
	return o, o.validate()
}

func (o *Options) bind(flags *pflag.FlagSet, env map[string]string) {
	flags.StringVar(&o.MetricsAddr, "metrics-addr", ":8080", "The address the metric endpoint binds to; 0 turns it off.")
	flags.StringVar(&o.HealthAddr, "health-addr", ":9440", "The address the health endpoint binds to.")
	flags.StringVar(&o.EventsAddr, "events-addr", env["EVENTS_ADDR"], "The address of the events receiver.")
	flags.IntVar(&o.Concurrent, "concurrent", 4, "The number of Applications that are compared at once.")
	flags.StringVar(&o.StoragePath, "storage-path", "/data", "The folder of the mask key, of unpacked artifacts and of rendered ones.")
	flags.StringVar(&o.StorageAddr, "storage-addr", ":9090", "The address that rendered artifacts are served on.")
	flags.StringVar(&o.StorageAdvAddr, "storage-adv-addr", env["STORAGE_ADV_ADDR"], "The host:port that statuses name for rendered artifacts; by default that of --storage-addr.")
	flags.DurationVar(&o.MaxAge, "max-judgement-age", 6*time.Hour, "The age at which the judgement of an unchanged object is made anew.")
	flags.IntVar(&o.DryRuns, "max-dry-runs", 4, "The number of server-side dry runs that are under way at once.")
	flags.Int64Var(&o.MaxArtifactSize, "max-artifact-size", 256<<20, "The size in bytes above which an artifact is refused.")
	o.Client.BindFlags(flags)
	o.Log.BindFlags(flags)
	o.LeaderElection.BindFlags(flags)
	if kubeconfig := flag.Lookup("kubeconfig"); kubeconfig != nil {
		flags.AddGoFlag(kubeconfig)
	}
}

func (o *Options) validate() error {
	switch {
	case o.Concurrent < 1:
		return fmt.Errorf("--concurrent is %d, at least 1 is needed", o.Concurrent)
	case o.DryRuns < 1:
		return fmt.Errorf("--max-dry-runs is %d, at least 1 is needed", o.DryRuns)
	case o.MaxAge < time.Minute:
		return fmt.Errorf("--max-judgement-age is %s, at least 1m is needed", o.MaxAge)
	case o.StoragePath == "":
		return fmt.Errorf("--storage-path is empty: name a folder that this process may write")
	}
	if o.StorageAdvAddr != "" {
		return nil
	}
	host, port, err := net.SplitHostPort(o.StorageAddr)
	if err != nil {
		return fmt.Errorf("--storage-addr %q: %w", o.StorageAddr, err)
	}
	if host == "" {
		host = "localhost"
	}
	o.StorageAdvAddr = net.JoinHostPort(host, port)
	return nil
}
