// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package shape

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// hides says whether a part of a text can be a secret at all.
func hides(value string) bool {
	switch Of(value) {
	case Opaque:
		return true
	case Trivial:
		return number().MatchString(value)
	}
	return false
}

func whenHiding(id string, group int) func(string, []string) string {
	return func(_ string, match []string) string {
		if hides(match[group]) {
			return id
		}
		return ""
	}
}

// detectors are compiled when the first text is looked at: whoever asks for
// none, such as holdfast version, does not wait for them.
var detectors = sync.OnceValue(func() []detector {
	return []detector{
		{
			id: PrivateKey, triggers: []string{"private key"},
			expr:   regexp.MustCompile(`(?s)-----BEGIN ((?:[A-Z0-9]+ )*)PRIVATE KEY(?: BLOCK)?-----(.*?)(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)`),
			accept: acceptPrivateKey,
		},
		{
			id: ServiceAccountJSON, triggers: []string{"private_key\""}, group: 1,
			expr: regexp.MustCompile(`"private_key"\s*:\s*"((?:[^"\\]|\\.)+)"`), accept: whenHiding(ServiceAccountJSON, 1),
		},
		{
			id: Kubeconfig, triggers: []string{"client-key-data", "clusters"}, group: 2,
			expr:   regexp.MustCompile(`(?m)["']?(client-key-data|token)["']?\s*:\s*["']?([A-Za-z0-9+/=._-]{16,})`),
			accept: acceptKubeconfig,
		},
		{
			id: DockerAuth, triggers: []string{"\"auth"}, group: 1,
			expr: regexp.MustCompile(`"auth"\s*:\s*"([A-Za-z0-9+/]{4,}={0,2})"`), accept: acceptPair(DockerAuth),
		},
		{
			id: DSNPassword, triggers: []string{"password", "pwd", "passwd"}, group: 1,
			expr:   regexp.MustCompile(`(?i)(?:^|[;\s&?"'])(?:password|pwd|passwd)\s*=\s*("[^"]+"|'[^']+'|[^;\s"'&]+)`),
			accept: acceptDSN,
		},
		{
			id: DSNPassword, triggers: []string{"@tcp(", "@unix(", "@udp("}, group: 1,
			expr: regexp.MustCompile(`(?m)(?:^|[\s"'=])[\w.-]+:([^@\s"']+)@(?:tcp|unix|udp)\(`), accept: whenHiding(DSNPassword, 1),
		},
		{
			id: JWT, triggers: []string{"eyj"},
			expr: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`),
		},
		{
			id: BearerToken, triggers: []string{"bearer", "authorization"}, group: 1,
			expr:   regexp.MustCompile(`(?i)\b(?:bearer|authorization["']?\s*[:=]?\s*["']?token)\s+["']?([A-Za-z0-9._~+/-]{12,}=*)`),
			accept: acceptToken,
		},
		{
			id: BasicAuth, triggers: []string{"basic"}, group: 1,
			expr: regexp.MustCompile(`(?i)\bbasic\s+([A-Za-z0-9+/]{8,}={0,2})`), accept: acceptPair(BasicAuth),
		},
		{
			id: PasswordHash, triggers: []string{"$2", "$apr1$", "$1$", "$5$", "$6$", "$argon2", "{sha}"},
			expr: regexp.MustCompile(`\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|\$apr1\$[^\s:$]{1,8}\$[./A-Za-z0-9]{22}|` +
				`\$[156]\$[^\s:$]{1,16}\$[./A-Za-z0-9]{22,86}|\{SHA\}[A-Za-z0-9+/]{27}=|\$argon2id?\$\S{20,}`),
		},
		{
			id: WebhookURL, triggers: []string{"hooks.slack.com", "/api/webhooks/", "webhook.office.com", "chat.googleapis.com"}, group: 1,
			expr: regexp.MustCompile(`(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/\d+/|\.webhook\.office\.com/|chat\.googleapis\.com/v1/spaces/)` +
				`([A-Za-z0-9/_@=?&%.-]{20,})`),
		},
		{
			id: QueryToken, triggers: []string{"?", "&"}, group: 2,
			expr:   regexp.MustCompile(`(?i)[?&](?:amp;)?(token|sig|signature|access_token|api_key|apikey|secret|x-amz-signature|x-goog-signature)=([^&\s"'<>#]{16,})`),
			accept: whenHiding(QueryToken, 2),
		},
		{
			id: FlagPassword, triggers: []string{"--"}, group: 2,
			expr:   regexp.MustCompile(`(?i)(?:^|\s)--([a-z-]*(?:password|passwd|token|secret|api-?key))[= ]+["']?([^\s"'-][^\s"']{3,})`),
			accept: acceptFlag,
		},
		{
			id: FlagPassword, triggers: []string{"curl"}, group: 1,
			expr: regexp.MustCompile(`\s(?:-u|--user)[ =]["']?[^\s:"']+:([^\s"']{3,})`), accept: whenHiding(FlagPassword, 1),
		},
		{
			id: Assignment, triggers: []string{"pass", "pwd", "secret", "token", "key", "credential"}, group: 2,
			expr: regexp.MustCompile(`(?im)(?:^|[\s,{;&"'?])["']?([A-Za-z0-9_.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|credentials?)[A-Za-z0-9_-]*)["']?[ \t]*(?:=>|[:=])[ \t]*` +
				`["']?([^\s"',;&#}\]]{4,})`),
			accept: acceptAssignment,
		},
		{
			id: Assignment, triggers: []string{"</"}, group: 2,
			expr:   regexp.MustCompile(`(?i)<([\w.-]*(?:password|secret|token|apikey)[\w.-]*)>([^<>\s]{4,})</`),
			accept: acceptAssignment,
		},
	}
})

func acceptPrivateKey(_ string, match []string) string {
	if HasVariable(match[2]) || strings.TrimSpace(match[2]) == "" {
		return ""
	}
	if strings.Contains(match[1], "ENCRYPTED") || strings.Contains(match[2], "4,ENCRYPTED") {
		return EncryptedPrivateKey
	}
	return PrivateKey
}

func acceptKubeconfig(text string, match []string) string {
	if strings.Contains(text, "clusters") && strings.Contains(text, "users") && hides(match[2]) {
		return Kubeconfig
	}
	return ""
}

// acceptPair wants base64 of name:password.
func acceptPair(id string) func(string, []string) string {
	return func(_ string, match []string) string {
		raw, err := base64.StdEncoding.DecodeString(match[1])
		if err != nil {
			raw, err = base64.RawStdEncoding.DecodeString(match[1])
		}
		_, password, pair := strings.Cut(string(raw), ":")
		if err != nil || !pair || !printable(string(raw)) || !hides(password) {
			return ""
		}
		return id
	}
}

// beside are words of a connection string other than its password.
var beside = lazy(`(?i)(^|[;\s&?"'])(server|host|hostaddr|data source|addr|address|user id|uid|user|username|database|dbname|initial catalog|port)\s*=`)

func acceptDSN(text string, match []string) string {
	if hides(strings.Trim(match[1], `"'`)) && beside().MatchString(text) {
		return DSNPassword
	}
	return ""
}

var hasDigit = lazy(`\d`)

func acceptToken(_ string, match []string) string {
	if value := match[1]; hides(value) && (hasDigit().MatchString(value) || len(value) >= 24) {
		return BearerToken
	}
	return ""
}

func acceptFlag(_ string, match []string) string {
	if Announces(match[1]) && hides(match[2]) {
		return FlagPassword
	}
	return ""
}

// code is an expression of a programming language, or a word that stands where
// a value could: a type, a verb, a state.
var code = lazy(`(?i)^([A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)+|[^()]*\(.*|\$.*|[\[{|>*&!%@].*|` +
	`string|str|text|required|optional|bearer|basic|type|object|integer|number|array|boolean|bytes|undefined|valid|invalid|missing|expired|secret|password|token|key|value|redacted)$`)

func acceptAssignment(_ string, match []string) string {
	name, value := match[1], match[2]
	if !Announces(name) || several().MatchString(name) || code().MatchString(value) || !hides(value) || strings.Contains(value, "://") {
		return ""
	}
	if number().MatchString(value) && !password().MatchString(name) {
		return ""
	}
	return Assignment
}

// several secrets are spoken of, not given.
var several = lazy(`(?i)(tokens|secrets|passwords|credentials)$`)

func printable(text string) bool {
	for _, r := range text {
		if r < 0x20 || r == 0x7f || r == 0xfffd {
			return false
		}
	}
	return text != ""
}
