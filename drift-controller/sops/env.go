// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops

import (
	"bytes"
	"strconv"
	"strings"

	"filippo.io/age"
)

// decryptEnv opens a dotenv file, whose metadata stands in flat names.
func decryptEnv(name string, raw []byte, identities []age.Identity) (File, bool, error) {
	var kept [][]byte
	flat := map[string]string{}
	for line := range bytes.SplitSeq(raw, []byte("\n")) {
		key, value, assigned := strings.Cut(string(line), "=")
		if meta, is := strings.CutPrefix(key, "sops_"); is && assigned {
			flat[meta] = unescape(value)
			continue
		}
		kept = append(kept, line)
	}
	if flat["mac"] == "" {
		return File{}, false, nil
	}
	meta := flatMetadata(flat)
	key, err := meta.key(name, identities)
	if err != nil {
		return File{}, true, err
	}
	o, ok := newOpener(key, meta.MACOnlyEncrypted)
	if !ok {
		return File{}, true, fault(ErrDamaged, name, "its key is none for AES: encrypt it anew")
	}
	for i, line := range kept {
		variable, text, assigned := strings.Cut(string(line), "=")
		if text, is := strings.CutPrefix(string(line), "#"); is {
			if plain, _, ok := o.leaf(text, "", nil); ok {
				kept[i] = []byte("#" + plain)
			}
			continue
		}
		if len(line) == 0 || !assigned {
			continue
		}
		value, _, ok := o.leaf(unescape(text), unescape(text), []string{variable})
		if !ok {
			return File{}, true, fault(ErrDamaged, name, "line %d: the value does not decrypt: it was edited, or moved from another name", i+1)
		}
		kept[i] = []byte(variable + "=" + strings.ReplaceAll(value, "\n", "\\n"))
	}
	if !o.verify(meta) {
		return File{}, true, fault(ErrDamaged, name, "its message authentication code does not match: it was edited without sops, or is incomplete; "+
			"encrypt it anew")
	}
	return File{Plain: bytes.Join(kept, []byte("\n")), Opened: o.opened}, true, nil
}

func unescape(value string) string { return strings.ReplaceAll(value, "\\n", "\n") }

// flatMetadata reads names like age__list_0__map_recipient.
func flatMetadata(flat map[string]string) metadata {
	m := metadata{MAC: flat["mac"], LastModified: flat["lastmodified"], Others: map[string]any{}}
	m.MACOnlyEncrypted, _ = strconv.ParseBool(flat["mac_only_encrypted"])
	m.Threshold, _ = strconv.Atoi(flat["shamir_threshold"])
	for i := 0; ; i++ {
		at := "age__list_" + strconv.Itoa(i) + "__map_"
		if flat[at+"enc"] == "" {
			break
		}
		m.Age = append(m.Age, recipient{Recipient: flat[at+"recipient"], Enc: flat[at+"enc"]})
	}
	for name := range flat {
		if strings.HasPrefix(name, "key_groups__") {
			m.KeyGroups = []map[string]any{{}}
		}
		for _, service := range services {
			if strings.HasPrefix(name, service+"__list_") {
				m.Others[service] = []any{name}
			}
		}
	}
	return m
}
