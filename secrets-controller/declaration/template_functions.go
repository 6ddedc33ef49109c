// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "strings"

// offered are the functions of the operator's template engine: Go's own,
// sprig's without those that read the environment or the network, and ESO's.
var offered = names(`
	and break call continue eq ge gt html index js le len lt ne not or print printf println slice urlquery
	abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec
	b64enc base bcrypt biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact concat
	contains date dateInZone dateModify date_in_zone date_modify decryptAES deepCopy deepEqual default
	derivePassword dict dig dir div divf duration durationRound empty encryptAES ext fail first float64
	floor fromJson genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey
	genSignedCert genSignedCertWithKey get has hasKey hasPrefix hasSuffix hello htmlDate htmlDateInZone
	htpasswd indent initial initials int int64 isAbs join kebabcase keys kindIs kindOf last list lower
	max maxf merge mergeOverwrite min minf mod mul mulf mustAppend mustChunk mustCompact mustDateModify
	mustDeepCopy mustFirst mustFromJson mustHas mustInitial mustLast mustMerge mustMergeOverwrite
	mustPrepend mustPush mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll
	mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice mustToDate mustToJson
	mustToPrettyJson mustToRawJson mustUniq mustWithout must_date_modify nindent nospace now omit
	osBase osClean osDir osExt osIsAbs pick pluck plural prepend push quote randAlpha randAlphaNum
	randAscii randBytes randInt randNumeric regexFind regexFindAll regexMatch regexQuoteMeta
	regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver
	semverCompare seq set sha1sum sha256sum sha512sum shuffle slice snakecase sortAlpha split splitList
	splitn squote sub subf substr swapcase ternary title toDate toDecimal toJson toPrettyJson toRawJson
	toString toStrings trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs typeIsLike typeOf
	uniq unixEpoch unset until untilStep untitle upper urlJoin urlParse uuidv4 values without wrap
	wrapWith
	pkcs12key pkcs12keyPass pkcs12cert pkcs12certPass pemToPkcs12 pemToPkcs12Pass fullPemToPkcs12 fullPemToPkcs12Pass
	pemTruststoreToPKCS12 pemTruststoreToPKCS12Pass filterPEM filterCertChain certSANs jwkPublicKeyPem jwkPrivateKeyPem
	toYaml fromYaml getSecretKey rsaDecrypt
`)

// volatile functions give another result each time.
var volatile = names(`
	randAlpha randAlphaNum randAscii randBytes randInt randNumeric shuffle uuidv4 now ago date unixEpoch
	genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey genSignedCert genSignedCertWithKey
	bcrypt htpasswd encryptAES buildCustomCert
`)

func names(text string) map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(text) {
		out[name] = true
	}
	return out
}
