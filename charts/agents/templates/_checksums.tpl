{{- /*
The digest of an object: SHA-256 of the JSON of {key: base64(value)}, keys sorted, no spaces. `agentctl chart checksums` computes the same.
A Secret's .data is in this form already; a ConfigMap's .data is not.
*/ -}}
{{- define "agents.checksum.ofText" -}}
{{- $encoded := dict -}}
{{- range $key, $value := . -}}{{- $_ := set $encoded $key ($value | toString | b64enc) -}}{{- end -}}
{{- $encoded | toJson | sha256sum -}}
{{- end -}}

{{- /* Arguments: kind, name, prefix. The part after the slash has 63 characters at most. */ -}}
{{- define "agents.checksum.key" -}}
{{- $name := printf "%s-%s" .kind .name -}}
{{- if gt (len $name) 63 -}}
{{- $name = printf "%s-%s" ($name | trunc 54 | trimSuffix "-" | trimSuffix ".") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- printf "%s/%s" .prefix $name -}}
{{- end -}}

{{- /* The digests of the objects that this chart renders itself, by kind and name. */ -}}
{{- define "agents.checksum.owned" -}}
{{- $secrets := dict -}}
{{- if .Values.database.createSecret.enabled -}}
{{- $_ := set $secrets (include "agents.databaseSecretName" .) (include "agents.checksum.ofText" (dict .Values.database.secretRef.key .Values.database.url)) -}}
{{- end -}}
{{- dict "secret" $secrets "configmap" dict | toJson -}}
{{- end -}}

{{- /* Arguments: root, kind, name, keys. The digest of a live object; nothing where the renderer has no cluster. */ -}}
{{- define "agents.checksum.live" -}}
{{- $kind := ternary "Secret" "ConfigMap" (eq .kind "secret") -}}
{{- $object := lookup "v1" $kind (include "agents.namespace" .root) .name -}}
{{- if $object -}}
{{- $data := dict -}}
{{- range $key, $value := $object.data | default dict -}}{{- $_ := set $data $key (ternary $value ($value | b64enc) (eq $kind "Secret")) -}}{{- end -}}
{{- if eq $kind "ConfigMap" -}}{{- range $key, $value := $object.binaryData | default dict -}}{{- $_ := set $data $key $value -}}{{- end -}}{{- end -}}
{{- if .keys -}}{{- range $key := keys $data -}}{{- if not (has $key $.keys) -}}{{- $_ := unset $data $key -}}{{- end -}}{{- end -}}{{- end -}}
{{- $data | toJson | sha256sum -}}
{{- end -}}
{{- end -}}

{{- /*
Every listed object as {kind, name, checksum, source, keys, components}. The digest is the entry's own, else that of rolloutChecksums.values,
else that of an object rendered here, else the live one; else the object's name, which never changes and so never restarts anything.
*/ -}}
{{- define "agents.checksum.entries" -}}
{{- $settings := .Values.rolloutChecksums -}}
{{- $owned := include "agents.checksum.owned" . | fromJson -}}
{{- $entries := list -}}
{{- $listed := dict "secret" ($settings.secrets | default list) "configmap" ($settings.configMaps | default list) -}}
{{- range $kind := list "secret" "configmap" -}}
{{- $names := list -}}
{{- range $entry := get $listed $kind -}}
{{- $entry = ternary (dict "name" $entry) $entry (kindIs "string" $entry) -}}
{{- $name := get $entry "name" | default "" -}}
{{- $names = append $names $name -}}
{{- $known := get ($settings.values | default dict) $kind | default dict -}}
{{- $source := "entry" -}}
{{- $sum := get $entry "checksum" -}}
{{- if not $sum -}}{{- $source = "values" -}}{{- $sum = get $known $name -}}{{- end -}}
{{- if not $sum -}}{{- $source = "chart" -}}{{- $sum = get (get $owned $kind) $name -}}{{- end -}}
{{- if and (not $sum) $settings.lookup -}}{{- $source = "cluster" -}}{{- $sum = include "agents.checksum.live" (dict "root" $ "kind" $kind "name" $name "keys" (get $entry "keys")) -}}{{- end -}}
{{- if not $sum -}}{{- $source = "name" -}}{{- $sum = sha256sum (printf "name:%s/%s" $kind $name) -}}{{- end -}}
{{- $entries = append $entries (dict "kind" $kind "name" $name "checksum" $sum "source" $source "keys" (get $entry "keys" | default list) "components" (get $entry "components" | default list)) -}}
{{- end -}}
{{- range $name, $sum := get $owned $kind -}}
{{- if not (has $name $names) -}}
{{- $entries = append $entries (dict "kind" $kind "name" $name "checksum" $sum "source" "chart" "keys" list "components" list) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $entries | toJson -}}
{{- end -}}

{{- /* Arguments: root, component. The annotations of a pod template. */ -}}
{{- define "agents.checksum.annotations" -}}
{{- $annotations := dict -}}
{{- $settings := .root.Values.rolloutChecksums -}}
{{- if $settings.enabled -}}
{{- range $entry := include "agents.checksum.entries" .root | fromJsonArray -}}
{{- if or (not $entry.components) (has $.component $entry.components) -}}
{{- $_ := set $annotations (include "agents.checksum.key" (dict "kind" $entry.kind "name" $entry.name "prefix" $settings.annotationPrefix)) $entry.checksum -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $annotations | toJson -}}
{{- end -}}

{{- /* Arguments: root, component. The same objects as {secret: [{name, keys}], configmap: […]}, for a process that looks at them itself; empty unless it does. */ -}}
{{- define "agents.reload.objects" -}}
{{- $objects := dict "secret" list "configmap" list -}}
{{- if and (eq (toString .root.Values.configReload.mode) "exit") (ne .component "gitTargetController") -}}
{{- range $entry := include "agents.checksum.entries" .root | fromJsonArray -}}
{{- if or (not $entry.components) (has $.component $entry.components) -}}
{{- $_ := set $objects $entry.kind (append (get $objects $entry.kind) (dict "name" $entry.name "keys" $entry.keys)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $objects | toJson -}}
{{- end -}}

{{- /* Arguments: root. The same objects, in the words of Stakater Reloader. */ -}}
{{- define "agents.reloader.annotations" -}}
{{- $annotations := dict -}}
{{- if .Values.reloader.enabled -}}
{{- $names := dict "secret" list "configmap" list -}}
{{- range $entry := include "agents.checksum.entries" . | fromJsonArray -}}
{{- $_ := set $names $entry.kind (append (get $names $entry.kind) $entry.name) -}}
{{- end -}}
{{- range $kind, $listed := $names -}}
{{- if $listed -}}{{- $_ := set $annotations (printf "%s.reloader.stakater.com/reload" $kind) (join "," $listed) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $annotations | toJson -}}
{{- end -}}
