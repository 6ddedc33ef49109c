// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

func readExternalSecret(s *Set, object Object, _ Options) {
	s.ExternalSecrets = append(s.ExternalSecrets, ExternalSecret{
		Ref: object.Ref, Meta: readMeta(object),
		Spec: readSpec(object.root().get("spec"), object.Ref.Name),
	})
}

func readClusterExternalSecret(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	child := spec.get("externalSecretName").textOr(object.Ref.Name)
	out := ClusterExternalSecret{
		Ref:         object.Ref,
		ChildName:   child,
		RefreshTime: readInterval(spec.get("refreshTime")),
		Namespaces:  spec.get("namespaces").texts(),
		Spec:        readSpec(spec.get("externalSecretSpec"), child),
	}
	if one := spec.get("namespaceSelector"); one.exists() {
		out.Selectors = append(out.Selectors, readSelector(one))
	}
	for _, selector := range spec.get("namespaceSelectors").items() {
		out.Selectors = append(out.Selectors, readSelector(selector))
	}
	s.ClusterExternalSecrets = append(s.ClusterExternalSecrets, out)
}

func readSpec(spec node, owner string) Spec {
	out := Spec{
		Base:            spec.at,
		Store:           readStoreReference(spec.get("secretStoreRef")),
		Target:          readTarget(spec.get("target"), owner),
		RefreshPolicy:   spec.get("refreshPolicy").text(),
		RefreshInterval: readInterval(spec.get("refreshInterval")),
	}
	for _, item := range spec.get("data").items() {
		out.Data = append(out.Data, DataItem{
			At:        item.at,
			Key:       item.get("secretKey").text(),
			RemoteKey: item.get("remoteRef", "key").text(),
			Property:  item.get("remoteRef", "property").text(),
			Remote:    readRemote(item.get("remoteRef")),
			Source:    readItemSource(item.get("sourceRef")),
		})
	}
	for _, item := range spec.get("dataFrom").items() {
		out.DataFrom = append(out.DataFrom, readDataFrom(item))
	}
	return out
}

func readInterval(interval node) Interval {
	_, isText := interval.value.(string)
	return Interval{At: interval.at, Text: interval.text(), IsText: isText}
}

func readRemote(ref node) Remote {
	return Remote{
		At: ref.at, Version: ref.get("version").text(),
		Decoding: ref.get("decodingStrategy").text(), Conversion: ref.get("conversionStrategy").text(),
	}
}

func readStoreReference(ref node) StoreReference {
	return StoreReference{At: ref.at, Name: ref.get("name").text(), Kind: ref.get("kind").text()}
}

func readItemSource(source node) ItemSource {
	out := ItemSource{At: source.at}
	if store := source.get("storeRef"); store.exists() {
		ref := readStoreReference(store)
		out.Store = &ref
	}
	if generator := source.get("generatorRef"); generator.exists() {
		out.Generator = &GeneratorReference{
			At:   generator.at,
			Kind: generator.get("kind").text(),
			Name: generator.get("name").text(),
		}
	}
	return out
}

func readDataFrom(item node) DataFromItem {
	expression := item.get("find", "name", "regexp")
	out := DataFromItem{
		At:              item.at,
		HasExtract:      item.get("extract").exists(),
		HasFind:         item.get("find").exists(),
		FindRegexp:      expression.text(),
		FindRegexpAt:    expression.at,
		FindPath:        item.get("find", "path").text(),
		FindTags:        item.get("find", "tags").exists(),
		ExtractKey:      item.get("extract", "key").text(),
		ExtractProperty: item.get("extract", "property").text(),
		Remote:          readRemote(item.get("extract")),
		Source:          readItemSource(item.get("sourceRef")),
	}
	for _, rewrite := range item.get("rewrite").items() {
		expression, merge := rewrite.get("regexp"), rewrite.get("merge")
		out.Rewrites = append(out.Rewrites, Rewrite{
			At:     rewrite.at,
			Regexp: expression.exists(),
			Source: expression.get("source").text(),
			Target: expression.get("target").text(),
			Merge:  merge.exists(), Priority: merge.get("priority").texts(),
			Strict: merge.get("priorityPolicy").textOr("Strict") == "Strict",
		})
	}
	return out
}

func readTarget(target node, owner string) Target {
	out := Target{
		At:        target.at,
		Name:      target.get("name").textOr(owner),
		Creation:  CreationPolicy(target.get("creationPolicy").textOr(string(CreationOwner))),
		Deletion:  DeletionPolicy(target.get("deletionPolicy").textOr(string(DeletionRetain))),
		Immutable: target.get("immutable").isTrue(),
		Generic:   target.get("manifest").exists(), GenericKind: target.get("manifest", "kind").text(),
	}
	if template := target.get("template"); template.exists() {
		out.Template = readTemplate(template)
	}
	return out
}
