// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

// Catalogue is the list of all rules, in the order of the documentation:
// shape, stores, ownership, templates, refresh, contract, interplay with other
// tools, open secrets, sealed and SOPS, live.
var Catalogue = []Rule{
	esAPIV1beta1,
	esAPIV1alpha1,
	badDurationUnit,
	esNoData,
	dataFromTwoSources,
	dataFromStoreRefOnly,
	dataGeneratorRef,
	duplicateSecretKey,
	emptyRemoteKey,
	invalidRegex,

	storeRefEmpty,
	storeMissing,
	storeKindMismatch,
	storeOtherNamespace,
	storeNamespaceDenied,
	storeAuthForeignNamespace,
	storeAuthSecretUndeclared,
	storeAuthKeyMissing,
	storeAuthCycle,
	storeWriteOnly,
	storeNotReady,

	twoOwnersOneSecret,
	orphanOrphan,
	mergeOntoOwned,
	mergeMergeSameKey,
	esVsGitSecret,
	esVsSealedSecret,
	esVsCertificate,
	mergeNoBase,
	deleteNeedsOwner,
	deleteWithOrphan,
	deletionMergeNone,
	noneWithConsumers,
	cesVsESName,
	reservedTarget,

	tplEngineV1,
	tplDropsKeys,
	tplTLSKeys,
	tplDockerConfig,
	tplBasicSSHKeys,

	refreshZero,
	refreshVsPolicy,
	generatorPeriodic,
	generatorTTL,

	consumerSecretUndeclared,
	consumerKeyUndeclared,
	consumerKeyUnknowable,
	consumerOptional,
	envFromUndeclared,
	volumeUndeclared,
	volumeItemKey,
	imagePullSecretUndeclared,
	saPullSecret,
	ingressTLSUndeclared,
	ingressTLSOldAnnotation,
	gatewayCertRef,
	gatewayCertRefCrossNamespace,
	crossNamespaceAssumption,

	selfHealTwoWriters,

	plainSecretData,
	plainSecretStringData,
	plainSecretRenderedByChart,
	placeholderApplied,
	sopsPartial,
	sopsForgedMetadata,
	sealedNotCiphertext,
	sealedTemplatePlaintext,

	liveSyncedError,
	liveMissingDespiteReady,
	liveDeletedDespiteReady,
	liveRetained,
	liveStaleGeneration,
	livePartialKeys,
	liveNoStatus,
	liveSealedNotSynced,
	liveCertNotReady,
	liveSecretUndeclared,
}

// ByID finds a rule of the catalogue.
func ByID(id string) (Rule, bool) {
	for _, rule := range Catalogue {
		if rule.ID == id {
			return rule, true
		}
	}
	return Rule{}, false
}
