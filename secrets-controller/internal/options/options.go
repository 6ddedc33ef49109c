// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	goflag "flag"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/pkg/runtime/client"
	runtimectrl "github.com/fluxcd/pkg/runtime/controller"
	"github.com/fluxcd/pkg/runtime/leaderelection"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/spf13/pflag"
)

// Options is everything that the command line says.
type Options struct {
	MetricsAddr   string
	HealthAddr    string
	EventsAddr    string
	Concurrent    int
	NoStatusAfter time.Duration
	Client        client.Options
	Log           logger.Options
	Election      leaderelection.Options
	RateLimiter   runtimectrl.RateLimiterOptions
}

// Parse reads the arguments. The flag --kubeconfig is controller-runtime's.
func Parse(name string, args []string) (Options, error) {
	var o Options
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.StringVar(&o.MetricsAddr, "metrics-addr", ":8080", "The address that serves metrics; 0 serves none.")
	flags.StringVar(&o.HealthAddr, "health-addr", ":9440", "The address that serves the probes /healthz and /readyz; 0 serves none.")
	flags.StringVar(&o.EventsAddr, "events-addr", os.Getenv("EVENTS_ADDR"), "The address of the events receiver.")
	flags.IntVar(&o.Concurrent, "concurrent", 4, "How many Applications are judged at the same time.")
	flags.DurationVar(&o.NoStatusAfter, "no-status-after", 10*time.Minute,
		"How long an ExternalSecret may be without a status before that counts as a fault.")
	o.Client.BindFlags(flags)
	o.Log.BindFlags(flags)
	o.Election.BindFlags(flags)
	o.RateLimiter.BindFlags(flags)
	flags.AddGoFlagSet(goflag.CommandLine)
	if err := flags.Parse(args); err != nil {
		return Options{}, err
	}
	return o, o.validate()
}

func (o Options) validate() error {
	if o.Concurrent < 1 {
		return fmt.Errorf("--concurrent is %d: at least one worker is needed", o.Concurrent)
	}
	if o.NoStatusAfter <= 0 {
		return fmt.Errorf("--no-status-after is %s: it must be longer than nothing", o.NoStatusAfter)
	}
	return nil
}
