// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fluxcd/pkg/artifact/config"
	"github.com/fluxcd/pkg/runtime/client"
	"github.com/fluxcd/pkg/runtime/controller"
	"github.com/fluxcd/pkg/runtime/jitter"
	"github.com/fluxcd/pkg/runtime/leaderelection"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/spf13/pflag"
	// Registers --kubeconfig with the standard flags.
	_ "sigs.k8s.io/controller-runtime/pkg/client/config"
)

// Options are the settings of one process.
type Options struct {
	MetricsAddr       string
	HealthAddr        string
	EventsAddr        string
	Concurrent        int
	RequeueDependency time.Duration
	Artifact          config.Options
	Client            client.Options
	Log               logger.Options
	LeaderElection    leaderelection.Options
	RateLimiter       controller.RateLimiterOptions
	Watch             controller.WatchOptions
	Jitter            jitter.IntervalOptions

	Gates      Gates
	SSH        SSH
	TokenCache TokenCache
	// DefaultServiceAccount is used for a cloud's identity where an object
	// names none.
	DefaultServiceAccount string
	// ArtifactCompat is what artifact bytes have to agree with.
	ArtifactCompat Compat

	// GitClient is what fetches from Git.
	GitClient GitClient

	BlobPath        string
	MirrorPath      string
	MirrorMaxSize   int64
	MirrorTTL       time.Duration
	MaxArtifactSize int64
	MaxFiles        int

	Version string // of this build

	// From the environment.
	Namespace string   // that this process runs in, empty outside a cluster
	TUFRoot   string   // folder of the public Sigstore's root, empty for the user's own
	SystemCAs string   // a bundle that replaces the system's
	Environ   []string // of this process, for git's PATH and proxies
}

// Parse reads the arguments (without the program's name) and the environment.
// A request for help is pflag.ErrHelp.
func Parse(args, environ []string) (Options, error) {
	env := lookup(environ)
	o := Options{Namespace: env["RUNTIME_NAMESPACE"], SystemCAs: env["SSL_CERT_FILE"], TUFRoot: env["TUF_ROOT"], Environ: environ}
	flags := pflag.NewFlagSet("source-controller", pflag.ContinueOnError)
	o.bind(flags, env)
	gates := bindContract(flags, &o)
	if err := flags.Parse(args); err != nil {
		return Options{}, err
	}
	var err error
	if o.Gates, err = parseGates(*gates); err != nil {
		return Options{}, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		return Options{}, fmt.Errorf("unexpected arguments: %s", strings.Join(rest, " "))
	}
	if o.MirrorPath == "" {
		o.MirrorPath = defaultFolder("holdfast-git-", o.Artifact.StoragePath)
	}
	if o.BlobPath == "" {
		o.BlobPath = defaultFolder("holdfast-oci-", o.Artifact.StoragePath)
	}
	return o, o.validate()
}

func (o *Options) bind(flags *pflag.FlagSet, env map[string]string) {
	flags.StringVar(&o.MetricsAddr, "metrics-addr", or(env["METRICS_ADDR"], ":8080"), "The address the metric endpoint binds to; 0 turns it off.")
	flags.StringVar(&o.HealthAddr, "health-addr", ":9440", "The address the health endpoint binds to.")
	flags.StringVar(&o.EventsAddr, "events-addr", env["EVENTS_ADDR"], "The address of the events receiver.")
	flags.IntVar(&o.Concurrent, "concurrent", 2, "The number of concurrent reconciles per controller.")
	flags.DurationVar(&o.RequeueDependency, "requeue-dependency", 30*time.Second, "The interval at which failing dependencies are reevaluated.")

	flags.StringVar(&o.BlobPath, "oci-blob-path", "", "The folder of OCI blobs that are under way, private to this process. By default a folder for --storage-path under the temporary one.")
	flags.StringVar((*string)(&o.GitClient), "git-client", string(ClientGit), "What fetches from Git: git (the git program, into mirrors that are kept) or gogit (Flux's client, anew for each commit, where the program cannot be used).")
	flags.StringVar(&o.MirrorPath, "git-mirror-path", "", "The folder of the Git mirrors, private to this process. By default a folder for --storage-path under the temporary one.")
	flags.Int64Var(&o.MirrorMaxSize, "git-mirror-max-size", 4<<30, "The size in bytes at which a transfer into a Git mirror is ended; 0 for no limit.")
	flags.DurationVar(&o.MirrorTTL, "git-mirror-ttl", 24*time.Hour, "How long a Git mirror that nothing asks for is kept.")
	flags.Int64Var(&o.MaxArtifactSize, "max-artifact-size", 1<<30, "The size in bytes, before compression, above which a source is refused; 0 for no limit.")
	flags.IntVar(&o.MaxFiles, "max-artifact-files", 500_000, "The number of files above which a source is refused; 0 for no limit.")

	o.Artifact.BindFlags(flags)
	o.Client.BindFlags(flags)
	o.Log.BindFlags(flags)
	o.LeaderElection.BindFlags(flags)
	o.RateLimiter.BindFlags(flags)
	o.Watch.BindFlags(flags)
	o.Jitter.BindFlags(flags)
	if kubeconfig := flag.Lookup("kubeconfig"); kubeconfig != nil {
		flags.AddGoFlag(kubeconfig)
	}
}

func (o *Options) validate() error {
	switch {
	case o.Concurrent < 1:
		return fmt.Errorf("--concurrent is %d, at least 1 is needed", o.Concurrent)
	case o.Jitter.Percentage > 99:
		return fmt.Errorf("--interval-jitter-percentage is %d, it must be below 100", o.Jitter.Percentage)
	case o.ArtifactCompat != CompatTar && o.ArtifactCompat != CompatFlux:
		return fmt.Errorf("--artifact-compat is %q, it must be %s or %s", o.ArtifactCompat, CompatTar, CompatFlux)
	case o.GitClient != ClientGit && o.GitClient != ClientGoGit:
		return fmt.Errorf("--git-client is %q, it must be %s or %s", o.GitClient, ClientGit, ClientGoGit)
	case o.TokenCache.MaxSize < 0:
		return fmt.Errorf("--token-cache-max-size is %d, it must not be negative; 0 turns the cache off", o.TokenCache.MaxSize)
	case o.MirrorTTL <= 0:
		return fmt.Errorf("--git-mirror-ttl is %s, it must be positive", o.MirrorTTL)
	case !o.Watch.AllNamespaces && o.Namespace == "":
		return fmt.Errorf("--watch-all-namespaces=false needs the variable RUNTIME_NAMESPACE")
	}
	return o.separateFolders()
}

// separateFolders keeps mirrors and blobs out of the storage folder: all of that
// is served to everyone who can connect.
func (o *Options) separateFolders() error {
	storage, err := filepath.Abs(o.Artifact.StoragePath)
	if err != nil {
		return fmt.Errorf("--storage-path: %w", err)
	}
	for flagName, folder := range map[string]string{"--git-mirror-path": o.MirrorPath, "--oci-blob-path": o.BlobPath} {
		private, err := filepath.Abs(folder)
		if err != nil {
			return fmt.Errorf("%s: %w", flagName, err)
		}
		if inside, err := filepath.Rel(storage, private); err == nil && inside != ".." && !strings.HasPrefix(inside, "../") {
			return fmt.Errorf("%s %s lies in --storage-path, which is served over HTTP; choose another folder", flagName, private)
		}
	}
	return nil
}

// defaultFolder differs for each storage folder, so that two processes on
// one machine do not meet.
func defaultFolder(prefix, storagePath string) string {
	if absolute, err := filepath.Abs(storagePath); err == nil {
		storagePath = absolute
	}
	digest := sha256.Sum256([]byte(storagePath))
	return filepath.Join(os.TempDir(), prefix+hex.EncodeToString(digest[:6]))
}

func lookup(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return env
}

func or(value, fallback string) string {
	if value != "" {
		return value
	}
	return fallback
}
