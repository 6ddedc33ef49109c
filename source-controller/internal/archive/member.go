// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// An archive is a row of gzip members, which every reader of gzip reads as one
// stream. Each member carries in its header what names its content, how long it
// is and a checksum of its bytes, so that an archive is its own index: a later
// one finds here what it need not compress again, after a restart too.
//
//	10 bytes  gzip header with FEXTRA, no name, no time
//	 2 bytes  length of the extra field
//	 4 bytes  subfield 'H' 'f' and its length
//	32 bytes  key: what the content follows from; zero where it is not known
//	 4 bytes  length of the deflated body
//	 4 bytes  CRC-32C of all that follows in the member
//	 …        the body, then CRC-32 and length of the content, as gzip has them
const (
	keyLength     = 32
	subfieldSize  = keyLength + 8
	extraSize     = 4 + subfieldSize
	memberHeader  = 12 + extraSize
	memberTrailer = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// key names the content of a member.
type key [keyLength]byte

// deflater compresses members, and keeps its tables between them.
type deflater struct {
	body    bytes.Buffer
	writers map[int]*flate.Writer // by level
}

// Content below minProbed is compressed in any case; of more, three samples tell
// whether it would shrink. What is packed already (pictures, archives, keys) takes
// most of the time of all and gives nothing back.
const (
	// usual is the library's default by number: five times as fast as Go's for a
	// few percent of size, see docs/benchmarks.md.
	usual      = 6
	minProbed  = 256 << 10
	sampleSize = 8 << 10
)

// level decides by the content alone, so that equal content gives equal bytes.
func (d *deflater) level(content []byte) (int, error) {
	if len(content) < minProbed {
		return usual, nil
	}
	var shrunk counter
	probe, err := d.to(&shrunk, flate.BestSpeed)
	if err != nil {
		return 0, err
	}
	for _, at := range []int{0, (len(content) - sampleSize) / 2, len(content) - sampleSize} {
		if _, err := probe.Write(content[at : at+sampleSize]); err != nil {
			return 0, err
		}
	}
	if err := probe.Close(); err != nil {
		return 0, err
	}
	if shrunk > 3*sampleSize*98/100 {
		return flate.NoCompression, nil
	}
	return usual, nil
}

// to gives a writer of a level.
func (d *deflater) to(w io.Writer, level int) (*flate.Writer, error) {
	if writer, found := d.writers[level]; found {
		writer.Reset(w)
		return writer, nil
	}
	writer, err := flate.NewWriter(w, level)
	if err != nil {
		return nil, err
	}
	if d.writers == nil {
		d.writers = map[int]*flate.Writer{}
	}
	d.writers[level] = writer
	return writer, nil
}

// member gives the bytes of a member with this content, valid until the next
// call.
func (d *deflater) member(k key, content []byte) ([]byte, error) {
	level, err := d.level(content)
	if err != nil {
		return nil, err
	}
	d.body.Reset()
	d.body.Write(make([]byte, memberHeader))
	writer, err := d.to(&d.body, level)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	var trailer [memberTrailer]byte
	binary.LittleEndian.PutUint32(trailer[:4], crc32.ChecksumIEEE(content))
	binary.LittleEndian.PutUint32(trailer[4:], uint32(len(content)))
	d.body.Write(trailer[:])
	putHeader(d.body.Bytes(), k, d.body.Bytes()[memberHeader:])
	return d.body.Bytes(), nil
}

// putHeader writes the header before the rest of a member: body and trailer. The
// checksum is over both, since a trailer that is damaged is carried along as much
// as a body.
func putHeader(b []byte, k key, rest []byte) {
	// Deflate, FEXTRA, no time, no extra flags, an unknown system.
	copy(b, []byte{0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255})
	binary.LittleEndian.PutUint16(b[10:], extraSize)
	copy(b[12:], "Hf")
	binary.LittleEndian.PutUint16(b[14:], subfieldSize)
	copy(b[16:], k[:])
	binary.LittleEndian.PutUint32(b[16+keyLength:], uint32(len(rest)-memberTrailer))
	binary.LittleEndian.PutUint32(b[20+keyLength:], crc32.Checksum(rest, castagnoli))
}

// place is where a member stands in an archive.
type place struct {
	offset int64
	body   uint32
	sum    uint32
}

func (p place) size() int64 { return memberHeader + int64(p.body) + memberTrailer }

// Donor is an archive that was stored before.
type Donor struct {
	from    io.ReaderAt
	members map[key]place
	buffer  []byte
}

// NewDonor reads which members an archive has. One that was made otherwise, or is
// cut off, has fewer or none; that is no failure, since all can be made anew.
func NewDonor(from io.ReaderAt, size int64) *Donor {
	d := &Donor{from: from, members: map[key]place{}}
	var header [memberHeader]byte
	for offset := int64(0); offset+memberHeader+memberTrailer <= size; {
		if _, err := from.ReadAt(header[:], offset); err != nil {
			return d
		}
		k, p, ok := parseHeader(header[:], offset)
		if !ok || offset+p.size() > size {
			return d
		}
		if k != (key{}) {
			d.members[k] = p
		}
		offset += p.size()
	}
	return d
}

func parseHeader(b []byte, offset int64) (key, place, bool) {
	var want [memberHeader]byte
	putHeader(want[:], key{}, make([]byte, memberTrailer))
	if !bytes.Equal(b[:16], want[:16]) {
		return key{}, place{}, false
	}
	p := place{
		offset: offset,
		body:   binary.LittleEndian.Uint32(b[16+keyLength:]),
		sum:    binary.LittleEndian.Uint32(b[20+keyLength:]),
	}
	return key(b[16 : 16+keyLength]), p, true
}

// has tells whether the donor has a member, going by its index.
func (d *Donor) has(k key) bool {
	if d == nil {
		return false
	}
	_, found := d.members[k]
	return found
}

// read gives the bytes of a member, valid until the next call. What was damaged
// on the disk since is an error: it would get a new digest and look whole.
func (d *Donor) read(k key) ([]byte, error) {
	p := d.members[k]
	if int64(cap(d.buffer)) < p.size() {
		d.buffer = make([]byte, p.size())
	}
	member := d.buffer[:p.size()]
	if _, err := d.from.ReadAt(member, p.offset); err != nil {
		return nil, fmt.Errorf("reading an earlier archive: %w", err)
	}
	var want [memberHeader]byte
	putHeader(want[:], k, member[memberHeader:])
	if !bytes.Equal(want[:], member[:memberHeader]) {
		return nil, fmt.Errorf("%w: a member at %d", errDamaged, p.offset)
	}
	return member, nil
}
