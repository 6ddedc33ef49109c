// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/install"
	"github.com/holdfast-gitops/holdfast/cli/internal/gitrepo"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of "bootstrap git".
type Options struct {
	Manifests manifests.Options
	Remote    gitrepo.Remote
	Path      string
	Interval  time.Duration
	Author    gitrepo.Author
	Files     CredentialFiles
	Export    bool
	Force     bool
	Timeout   time.Duration

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// CredentialFiles are where the parts of a credential are read from: never a
// flag's value, which every process of the machine can see.
type CredentialFiles struct {
	Password, PrivateKey, Passphrase, KnownHosts, CA string
	// SigningRing and the passphrase of its key; the id chooses one of several.
	SigningRing, SigningPassphrase, SigningID string
}

// New is "bootstrap" with its one noun.
func New(release string, t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bootstrap",
		Short: "Install the controllers from a repository that they follow from then on",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q; there is git", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(NewGit(release, t, connect))
	return cmd
}

const long = `Write the components into PATH/holdfast-system/ of a repository, commit and push
them, apply them, and make the install follow that folder: a GitRepository, a
Project that lists exactly the kinds that are in it, and an Application at stage
Sync, without prune. Run it again to upgrade or to change flags; what is as it
should be is left alone.

The command itself needs the rights of a cluster administrator while it runs: it
makes CRDs, ClusterRoles and admission policies with your kubeconfig. Nothing of
that stays: what follows the folder may change Deployments, Services and the like
of holdfast-system. Changes of CRDs, RBAC, namespaces, Projects and admission
policies are shown as differences, and made by running this command again.

The password is read from GIT_PASSWORD or --password-file, keys from files. None of
them gets into Git, a log or an argument list; what opens the repository is kept in
the Secret holdfast-system. Commits are signed with --gpg-key-ring.`

// NewGit is "bootstrap git".
func NewGit(release string, t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	cmd := &cobra.Command{
		Use: "git --url URL --path PATH", Short: "Bootstrap from any Git repository", Long: long,
		Example: `  # Over HTTPS with a token
  GIT_PASSWORD=... holdfast bootstrap git --url https://git.example.com/platform/fleet --path clusters/prod

  # With a deploy key that may push
  holdfast bootstrap git --url ssh://git@git.example.com/platform/fleet --path clusters/prod --private-key-file key --known-hosts-file known_hosts

  # Only look
  holdfast bootstrap git --url https://git.example.com/platform/fleet --path clusters/prod --export`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	f := cmd.Flags()
	install.Flags(f, &o.Manifests, release)
	f.StringVar(&o.Remote.URL, "url", "", "address of the repository (required)")
	f.StringVar(&o.Remote.Branch, "branch", "main", "branch to push to and to follow")
	f.StringVar(&o.Path, "path", "", "folder of this cluster in the repository (required)")
	f.DurationVar(&o.Interval, "interval", time.Minute, "how often the source is looked at")
	f.StringVar(&o.Remote.Credential.Username, "username", "git", "user of an HTTPS credential")
	f.BoolVar(&o.Remote.Credential.Bearer, "with-bearer-token", false, "send the password as a bearer token")
	f.BoolVar(&o.Remote.Insecure, "allow-insecure-http", false, "allow an address with http")
	f.StringVar(&o.Files.Password, "password-file", "", "file with the password or token (or the variable GIT_PASSWORD)")
	f.StringVar(&o.Files.PrivateKey, "private-key-file", "", "file with the deploy key")
	f.StringVar(&o.Files.Passphrase, "private-key-passphrase-file", "", "file with the key's passphrase")
	f.StringVar(&o.Files.KnownHosts, "known-hosts-file", "", "file with the server's host key")
	f.StringVar(&o.Files.CA, "ca-file", "", "file with the certificates to trust for HTTPS")
	f.StringVar(&o.Files.SigningRing, "gpg-key-ring", "", "file with the private PGP key to sign commits with")
	f.StringVar(&o.Files.SigningID, "gpg-key-id", "", "which key of the ring")
	f.StringVar(&o.Files.SigningPassphrase, "gpg-passphrase-file", "", "file with the key's passphrase (or the variable GPG_PASSPHRASE)")
	f.StringVar(&o.Author.Name, "author-name", "Holdfast", "author of the commit")
	f.StringVar(&o.Author.Email, "author-email", "holdfast@localhost", "address of the author")
	f.BoolVar(&o.Export, "export", false, "print the files and change nothing")
	f.BoolVar(&o.Force, "force", false, "take over an install that another tool made")
	f.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "how long to wait for each step")
	return cmd
}

// valid says what is wrong with the options before anything is looked at.
func (o *Options) valid() error {
	u, err := gitrepo.Parse(o.Remote.URL, o.Remote.Insecure)
	if err != nil {
		return err
	}
	clean := path.Clean(strings.TrimPrefix(o.Path, "./"))
	if o.Path == "" || strings.HasPrefix(clean, "/") || clean == ".." || strings.HasPrefix(clean, "../") || strings.ContainsAny(clean, "\\\n") {
		return fmt.Errorf("--path %q: name the cluster's folder in the repository, as in clusters/prod", o.Path)
	}
	o.Path = clean
	if u.Scheme == "ssh" && o.Files.PrivateKey == "" {
		return fmt.Errorf("an ssh address needs a key that may push: --private-key-file, and the server's key with --known-hosts-file")
	}
	return nil
}

// credential reads its parts.
func (o *Options) credential() error {
	c := &o.Remote.Credential
	c.Password = os.Getenv("GIT_PASSWORD")
	var password, passphrase, ring, unlock []byte
	for _, part := range []struct {
		file string
		into *[]byte
	}{
		{o.Files.Password, &password}, {o.Files.Passphrase, &passphrase}, {o.Files.PrivateKey, &c.PrivateKey},
		{o.Files.KnownHosts, &c.KnownHosts}, {o.Files.CA, &c.CA},
		{o.Files.SigningRing, &ring}, {o.Files.SigningPassphrase, &unlock},
	} {
		if part.file == "" {
			continue
		}
		text, err := os.ReadFile(part.file)
		if err != nil {
			return fmt.Errorf("reading a credential: %w", err)
		}
		*part.into = text
	}
	if len(password) > 0 {
		c.Password = strings.TrimSpace(string(password))
	}
	c.Passphrase = strings.TrimSpace(string(passphrase))
	if o.Files.SigningRing == "" {
		return nil
	}
	var err error
	o.Author.Signer, err = gitrepo.Signer(ring, o.Files.SigningID, cmp.Or(strings.TrimSpace(string(unlock)), os.Getenv("GPG_PASSPHRASE")))
	return err
}
