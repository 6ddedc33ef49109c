// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule_test

import "encoding/base64"

const (
	// Values of the examples open nothing.
	sopsBlock = "sops: {mac: 'ENC[AES256_GCM,data:aaaa,iv:bbbb,tag:cccc,type:str]'}\n"
	encrypted = "'ENC[AES256_GCM,data:aaaa,iv:bbbb,tag:cccc,type:str]'"
	ofChart   = "  labels: {app.kubernetes.io/managed-by: Helm}\n"
)

var openExamples = examples{
	"plain-secret-data": {
		{reason: "base64 is an encoding", git: gitSecret("db", "data: {password: c29tbWVy, user: YXBw}"),
			want: []string{"Error Secret shop/db /data/password", "Error Secret shop/db /data/user"}},
		{reason: "the same, masked", git: gitSecret("db", "data: {password: (masked opaque hmac:8c1f2a)}"),
			want: []string{"Error Secret shop/db /data/password"}},
		{reason: "masked and encoded, so that the object stays valid", git: gitSecret("db", "data: {password: KG1hc2tlZCBvcGFxdWUgaG1hYzo4YzFmMmEp}"),
			want: []string{"Error Secret shop/db /data/password"}},
		{reason: "data before kind, within a List", git: "items: [{data: {p: c29tbWVy}, metadata: {name: db}, kind: Secret, apiVersion: v1}]\nkind: List\napiVersion: v1",
			want: []string{"Error Secret shop/db /data/p"}},
		{reason: "a mask of a kind that is not known here is not harmless", git: gitSecret("db", "data: {password: (masked sparkling hmac:8c1f2a)}"),
			want: []string{"Error Secret shop/db /data/password"}},
		{reason: "an empty shell", git: gitSecret("db", "type: Opaque")},
		{reason: "empty values, raw and masked", git: gitSecret("db", "data: {a: '', b: (masked empty)}")},
		{reason: "a service account token is filled by the control plane",
			git: "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/service-account-token\nmetadata: {name: t, annotations: {kubernetes.io/service-account.name: sa}}"},
		{reason: "public by the convention of TLS Secrets", git: gitSecret("tls", "data: {tls.crt: TUlJ, ca.crt: (masked opaque hmac:aa)}")},
		{reason: "encrypted by SOPS", git: gitSecret("db", "data: {password: "+encrypted+"}\n"+sopsBlock)},
		{reason: "references to a variable and to a store", git: gitSecret("db", "data: {a: JHtEQl9QQVNTV09SRH0=, b: dmF1bHQ6c2VjcmV0L2RhdGEvZGIjcHc=}")},
		{reason: "RBAC only speaks of secrets", git: object("rbac.authorization.k8s.io/v1", "Role", "r", "rules: [{resources: [secrets], verbs: [get]}]")},
		{reason: "a ConfigMap that holds the text of a Secret", git: object("v1", "ConfigMap", "c", "data: {s: 'kind: Secret'}")},
	},
	"plain-secret-stringdata": {
		{reason: "low entropy is no excuse", git: gitSecret("db", "stringData: {password: sommer}"),
			want: []string{"Error Secret shop/db /stringData/password"}},
		{reason: "a number where text belongs is not readable as harmless", git: gitSecret("db", "stringData: {pin: 4711}"),
			want: []string{"Error Secret shop/db /stringData/pin"}},
		{reason: "placeholder, reference, template", git: gitSecret("db", "stringData: {a: REPLACE_ME, b: '${PASSWORD}', c: '<path:secret/data/db#pw>', d: 'ref+vault://db#pw', e: '{{ .x }}'}")},
		{reason: "a URL whose parts are references", git: gitSecret("db", "stringData: {url: 'postgres://$(U):$(P)@db/x'}")},
		{reason: "an ExternalSecret is no Secret", git: fetching("db", "password", "")},
	},
	"plain-secret-rendered-by-chart": {
		{reason: "rendered from values", git: object("v1", "Secret", "db", ofChart+"data: {password: c29tbWVy}"),
			want: []string{"Error Secret shop/db /data/password"}},
		{reason: "not from a chart", git: gitSecret("db", "data: {password: c29tbWVy}")},
	},
	"placeholder-applied": {
		{reason: "what would be applied is the placeholder", git: gitSecret("db", "stringData: {a: changeme, b: <password>, c: (masked placeholder hmac:1a)}"),
			want: []string{"Warning Secret shop/db /stringData/a", "Warning Secret shop/db /stringData/b", "Warning Secret shop/db /stringData/c"}},
		{reason: "a real value that begins alike", git: gitSecret("db", "stringData: {a: changeme-no-more-7}")},
	},
	"sops-partial": {
		{reason: "one key was added by hand", git: gitSecret("db", "stringData: {a: "+encrypted+", b: sommer}\n"+sopsBlock),
			want: []string{"Error Secret shop/db /stringData/b"}},
		{reason: "all encrypted, raw and masked", git: gitSecret("db", "stringData: {a: "+encrypted+", b: (masked encrypted hmac:1a)}\n"+sopsBlock)},
	},
	"sops-forged-metadata": {
		{reason: "metadata is no proof", git: gitSecret("db", "stringData: {a: sommer}\n"+sopsBlock),
			want: []string{"Error Secret shop/db /stringData/a"}},
		{reason: "all encrypted", git: gitSecret("db", "stringData: {a: "+encrypted+"}\n"+sopsBlock)},
	},
}

// block is base64 of what kubeseal writes for a key of 2048 bits: the length
// of the RSA block, 256 bytes of it, and a tag of 16.
var block = base64.StdEncoding.EncodeToString(append([]byte{1, 0}, make([]byte, 256+16)...))

var sealedExamples = examples{
	"sealed-not-ciphertext": {
		{reason: "base64 of a word, too short to be sealed", git: sealed("db", "encryptedData: {pw: aHVudGVyMg==}"),
			want: []string{"Error SealedSecret shop/db /spec/encryptedData/pw"}},
		{reason: "sealed, raw and masked", git: sealed("db", "encryptedData: {pw: "+block+", b: (masked encrypted hmac:1a)}")},
	},
	"sealed-template-plaintext": {
		{reason: "named like a password", git: sealed("db", "encryptedData: {}\ntemplate: {data: {replica-password: sommer, host: db}}"),
			want: []string{"Error SealedSecret shop/db /spec/template/data/replica-password"}},
		{reason: "settings, references, and names about a secret",
			git: sealed("db", "encryptedData: {}\ntemplate: {data: {host: db, password: '{{ .x }}', password_file: /run/pw, token-ttl: '60'}}")},
	},
}
