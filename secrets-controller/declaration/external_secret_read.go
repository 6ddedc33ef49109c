// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

func readExternalSecret(s *Set, object Object, _ Options) {
	s.ExternalSecrets = append(s.ExternalSecrets, ExternalSecret{
		Ref:  object.Ref,
		Spec: readSpec(object.root().get("spec"), object.Ref.Name),
	})
}

func readClusterExternalSecret(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	child := spec.get("externalSecretName").textOr(object.Ref.Name)
	out := ClusterExternalSecret{
		Ref:        object.Ref,
		ChildName:  child,
		Namespaces: spec.get("namespaces").texts(),
		Spec:       readSpec(spec.get("externalSecretSpec"), child),
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
	interval := spec.get("refreshInterval")
	_, isText := interval.value.(string)
	out := Spec{
		Base:            spec.at,
		Store:           readStoreReference(spec.get("secretStoreRef")),
		Target:          readTarget(spec.get("target"), owner),
		RefreshPolicy:   spec.get("refreshPolicy").text(),
		RefreshInterval: Interval{At: interval.at, Text: interval.text(), IsText: isText},
	}
	for _, item := range spec.get("data").items() {
		out.Data = append(out.Data, DataItem{
			At:        item.at,
			Key:       item.get("secretKey").text(),
			RemoteKey: item.get("remoteRef", "key").text(),
			Property:  item.get("remoteRef", "property").text(),
			Source:    readItemSource(item.get("sourceRef")),
		})
	}
	for _, item := range spec.get("dataFrom").items() {
		out.DataFrom = append(out.DataFrom, readDataFrom(item))
	}
	return out
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
		At:           item.at,
		HasExtract:   item.get("extract").exists(),
		HasFind:      item.get("find").exists(),
		FindRegexp:   expression.text(),
		FindRegexpAt: expression.at,
		ExtractKey:   item.get("extract", "key").text(),
		Source:       readItemSource(item.get("sourceRef")),
	}
	for _, rewrite := range item.get("rewrite").items() {
		expression := rewrite.get("regexp")
		out.Rewrites = append(out.Rewrites, Rewrite{
			At:     rewrite.at,
			Regexp: expression.exists(),
			Source: expression.get("source").text(),
			Target: expression.get("target").text(),
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
		Generic:   target.get("manifest").exists(),
	}
	if template := target.get("template"); template.exists() {
		out.Template = readTemplate(template)
	}
	return out
}
