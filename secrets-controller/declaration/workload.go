// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import "strings"

// podTemplates lead from the object to its pod's spec.
var podTemplates = map[string][]string{
	"/Pod":                   {"spec"},
	"/ReplicationController": {"spec", "template", "spec"},
	"/PodTemplate":           {"template", "spec"},
	"apps/Deployment":        {"spec", "template", "spec"},
	"apps/StatefulSet":       {"spec", "template", "spec"},
	"apps/DaemonSet":         {"spec", "template", "spec"},
	"apps/ReplicaSet":        {"spec", "template", "spec"},
	"batch/Job":              {"spec", "template", "spec"},
	"batch/CronJob":          {"spec", "jobTemplate", "spec", "template", "spec"},
	"argoproj.io/Rollout":    {"spec", "template", "spec"},
}

func readWorkload(s *Set, object Object, _ Options) {
	pod := podReader{set: s, object: object, bySubPath: map[string]bool{}}
	spec := object.root().get(podTemplates[object.group()+"/"+object.Ref.Kind]...)
	path := podTemplates[object.group()+"/"+object.Ref.Kind]
	for _, key := range object.root().get(path[:len(path)-1]...).get("metadata", "annotations").keys() {
		if strings.Contains(key, "reloader") || strings.HasPrefix(key, "checksum/") {
			s.Reloaded[object.Ref] = true
		}
	}
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		for _, container := range spec.get(list).items() {
			pod.container(container)
		}
	}
	for _, volume := range spec.get("volumes").items() {
		pod.volume(volume)
	}
	for _, pull := range spec.get("imagePullSecrets").items() {
		pod.refer(UseImagePull, pull.get("name"), false)
	}
}

// podReader collects what one pod's spec consumes.
type podReader struct {
	set    *Set
	object Object
	// bySubPath are volumes that some container mounts by a subPath.
	bySubPath map[string]bool
}

func (p podReader) reference(use Use, name node, optional bool) Reference {
	return Reference{
		By: p.object.Ref, Use: use, Namespace: p.object.Ref.Namespace,
		Secret: name.text(), SecretAt: name.at, Optional: optional,
	}
}

func (p podReader) refer(use Use, name node, optional bool) {
	p.set.refer(p.reference(use, name, optional))
}

func (p podReader) container(container node) {
	for _, env := range container.get("env").items() {
		key := env.get("valueFrom", "secretKeyRef")
		if !key.exists() {
			continue
		}
		ref := p.reference(UseEnv, key.get("name"), key.get("optional").isTrue())
		ref.Key, ref.KeyAt = key.get("key").text(), key.get("key").at
		ref.Container, ref.EntryAt = container.get("name").text(), env.at
		p.set.refer(ref)
	}
	for _, from := range container.get("envFrom").items() {
		secret := from.get("secretRef")
		ref := p.reference(UseEnvFrom, secret.get("name"), secret.get("optional").isTrue())
		ref.Container, ref.EntryAt, ref.Prefix = container.get("name").text(), from.at, from.get("prefix").text()
		p.set.refer(ref)
		p.readsConfigMap(from.get("configMapRef", "name"))
	}
	for _, mount := range container.get("volumeMounts").items() {
		if mount.get("subPath").text() != "" {
			p.bySubPath[mount.get("name").text()] = true
		}
	}
}

func (p podReader) readsConfigMap(name node) {
	if name.text() != "" {
		p.set.ConfigMapUses = append(p.set.ConfigMapUses, p.reference(UseVolume, name, false))
	}
}

// volume reads every volume type that names a Secret: as a secret, inside a
// projection, or as the credential of a storage driver.
func (p podReader) volume(volume node) {
	before := len(p.set.References)
	if secret := volume.get("secret"); secret.exists() {
		p.mounted(secret, secret.get("secretName"))
	}
	for _, source := range volume.get("projected", "sources").items() {
		if secret := source.get("secret"); secret.exists() {
			p.mounted(secret, secret.get("name"))
		}
		p.readsConfigMap(source.get("configMap", "name"))
	}
	for i := before; i < len(p.set.References); i++ {
		p.set.References[i].SubPath = p.bySubPath[volume.get("name").text()]
		p.set.References[i].EntryAt = volume.at
	}
	p.readsConfigMap(volume.get("configMap", "name"))
	p.refer(UseVolume, volume.get("csi", "nodePublishSecretRef", "name"), false)
	p.refer(UseVolume, volume.get("azureFile", "secretName"), false)
	for _, driver := range []string{"cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"} {
		p.refer(UseVolume, volume.get(driver, "secretRef", "name"), false)
	}
}

// mounted adds a Secret volume: as a whole, or one reference for each item.
// With items, a missing Secret is still one fault and not one for each key,
// so only the first item names the Secret's place and the rest their keys.
func (p podReader) mounted(secret, name node) {
	optional := secret.get("optional").isTrue()
	p.refer(UseVolume, name, optional)
	for _, item := range secret.get("items").items() {
		ref := p.reference(UseVolume, name, optional)
		ref.Key, ref.KeyAt = item.get("key").text(), item.get("key").at
		p.set.refer(ref)
	}
}
