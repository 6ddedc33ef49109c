// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "fmt"

// readTemplate finds the keys that a template writes. Precedence does not
// matter for that: whoever wins, the key is there.
func readTemplate(template node) *Template {
	out := &Template{
		At:     template.at,
		Type:   template.get("type").text(),
		Engine: template.get("engineVersion").text(),
		Merge:  template.get("mergePolicy").text() == "Merge",
	}
	data := template.get("data").keys()
	out.Keys.add(data...)
	out.DeclaresData = len(data) > 0
	for _, key := range data {
		out.Data = append(out.Data, readTemplateText(key, template.get("data", key)))
	}
	meta := template.get("metadata")
	for _, field := range []string{"labels", "annotations"} {
		for _, key := range meta.get(field).keys() {
			out.Metadata = append(out.Metadata, readTemplateText(field+" "+key, meta.get(field, key)))
		}
	}
	out.Labels, out.Finalizers = meta.get("labels").textMap(), len(meta.get("finalizers").items()) > 0
	for i, from := range template.get("templateFrom").items() {
		out.From = append(out.From, readTemplateFrom(from))
		if target := from.get("target").textOr("Data"); target != "Data" {
			continue // writes labels or annotations, and no key
		}
		out.DeclaresData = true
		out.Keys.addTemplateFrom(i, from)
	}
	return out
}

func readTemplateFrom(from node) TemplateFrom {
	out := TemplateFrom{At: from.at, Target: from.get("target").textOr("Data")}
	if literal := from.get("literal"); literal.exists() {
		out.Source, out.Literal = "literal", readTemplateText("literal", literal)
	}
	for _, source := range []string{"configMap", "secret"} {
		named := from.get(source)
		if !named.exists() {
			continue
		}
		out.Source, out.Name = source, named.get("name").text()
		for _, item := range named.get("items").items() {
			out.Items = append(out.Items, TemplateItem{
				At: item.at, Key: item.get("key").text(), KeyValues: item.get("templateAs").text() == "KeysAndValues",
			})
		}
	}
	return out
}

// addTemplateFrom adds the keys of one templateFrom item: known where the
// item names them, open where the text of the template decides.
func (k *Keys) addTemplateFrom(index int, from node) {
	if from.get("literal").exists() {
		k.open(fmt.Sprintf("templateFrom %d is a literal whose keys only rendering tells", index))
	}
	for _, source := range []string{"configMap", "secret"} {
		for _, item := range from.get(source, "items").items() {
			if item.get("templateAs").text() == "KeysAndValues" {
				k.open(fmt.Sprintf("templateFrom %d renders its keys from a %s", index, source))
				continue
			}
			k.add(item.get("key").text())
		}
	}
}
