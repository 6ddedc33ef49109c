// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// acquire takes the lock file for this process and returns the function that
// gives it back; waiting is called once if somebody else holds it. The kernel
// drops the lock of a process that dies, so a killed build blocks nobody; for
// the same reason the file itself stays.
func acquire(ctx context.Context, path string, waiting func()) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the build's lock: %w", err)
	}
	retry := time.NewTicker(200 * time.Millisecond)
	defer retry.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			file.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, fmt.Errorf("stopped while waiting for the lock %s: %w", path, ctx.Err())
		case <-retry.C:
		}
	}
}
