// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitwire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Kinds of failure.
var (
	// ErrProtocol: what the server said is not Git's protocol.
	ErrProtocol = errors.New("the remote does not speak Git's protocol")
	// ErrRemote: the server answered with an error message of its own.
	ErrRemote = errors.New("the remote refused")
	// ErrTooLong: the server listed more than is read.
	ErrTooLong = errors.New("the remote listed too much")
)

// kind is what a packet is.
type kind int

const (
	data kind = iota
	flush
	delimiter
	end // of the response, or of the stream
)

const (
	headerLength = 4
	maxPacket    = 65520
	// MaxBytes bounds what one answer may have: about half a million references.
	MaxBytes = 64 << 20
)

// packets reads pkt-lines.
type packets struct {
	in   *bufio.Reader
	left int64
}

func newPackets(in io.Reader) *packets {
	return &packets{in: bufio.NewReaderSize(in, 4<<10), left: MaxBytes}
}

// next gives one packet, without the line break that most end with.
func (p *packets) next() (kind, string, error) {
	var header [headerLength]byte
	if _, err := io.ReadFull(p.in, header[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return end, "", nil
		}
		return end, "", fmt.Errorf("%w: it ended in the middle of a packet: %w", ErrProtocol, err)
	}
	length, err := strconv.ParseUint(string(header[:]), 16, 16)
	if err != nil || length > maxPacket || length == 3 {
		return end, "", fmt.Errorf("%w: it sent %q where the length of a packet belongs", ErrProtocol, header)
	}
	switch length {
	case 0:
		return flush, "", nil
	case 1:
		return delimiter, "", nil
	case 2:
		return end, "", nil
	}
	if p.left -= int64(length); p.left < 0 {
		return end, "", fmt.Errorf("%w: more than %d bytes", ErrTooLong, MaxBytes)
	}
	body := make([]byte, length-headerLength)
	if _, err := io.ReadFull(p.in, body); err != nil {
		return end, "", fmt.Errorf("%w: it ended in the middle of a packet: %w", ErrProtocol, err)
	}
	text := strings.TrimSuffix(string(body), "\n")
	if message, refused := strings.CutPrefix(text, "ERR "); refused {
		return end, "", fmt.Errorf("%w: %s", ErrRemote, message)
	}
	return data, text, nil
}

// packet frames one line.
func packet(line string) string {
	return fmt.Sprintf("%04x%s\n", headerLength+len(line)+1, line)
}
