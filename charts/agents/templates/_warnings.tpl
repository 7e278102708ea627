{{- /* What is allowed and probably not meant. */ -}}
{{- define "agents.warnings" -}}
{{- $settings := .Values.rolloutChecksums -}}
{{- $reloads := eq (toString .Values.configReload.mode) "exit" }}
{{- if and $reloads (not (include "agents.checksum.entries" . | fromJsonArray)) }}
WARNING: configReload.mode is exit, but rolloutChecksums lists no objects.
{{- end }}
{{- if and (not $settings.enabled) (not .Values.reloader.enabled) (not $reloads) (or $settings.secrets $settings.configMaps) }}
WARNING: rolloutChecksums lists objects and is not enabled.
{{- end }}
{{- if or $settings.enabled $reloads }}
{{- $listed := list }}
{{- range include "agents.checksum.entries" . | fromJsonArray }}{{ $listed = append $listed (printf "%s %s" .kind .name) }}{{ end }}
{{- range $reference := include "agents.references" . | fromJsonArray }}
{{- if not (has $reference $listed) }}
WARNING: pods use the {{ $reference }}, and rolloutChecksums does not list it.
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.database.url }}
WARNING: database.url is readable in the release{{ if not .Values.database.createSecret.enabled }} and in the Deployment{{ end }}; use database.secretRef.
{{- end }}
{{- if include "agents.oidc.on" . }}
WARNING: api.oidc is set: the account of the control plane may impersonate every user of the cluster except ServiceAccounts, and the groups in api.oidc.groups.
{{- end }}
{{- if and .Values.api.enabled .Values.api.plaintext }}
WARNING: api.plaintext is true: the API is served WITHOUT TLS. Everybody on the way can read the tokens of callers and act as them; set api.tlsSecret.name.
{{- end }}
{{- if .Values.securityContext }}
WARNING: securityContext is an older name; use podSecurityContext.
{{- end }}
{{- range $component := include "agents.components" . | fromJsonArray }}
{{- $seen := list }}
{{- range $entry := (include "agents.env.assemble" (dict "root" $ "component" $component) | fromJson).entries }}
{{- range $reference := regexFindAll "(?:^|[^$])\\$\\([A-Za-z_][A-Za-z0-9_]*\\)" (get $entry "value" | default "") -1 }}
{{- $name := regexReplaceAll ".*\\$\\(|\\)" $reference "" }}
{{- if not (has $name $seen) }}
WARNING: {{ $entry.name }} of {{ $component }} refers to $({{ $name }}), which is not set before it; write $$( for the text itself.
{{- end }}
{{- end }}
{{- $seen = append $seen $entry.name }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The Secrets and ConfigMaps that pods take variables from, as "kind name". */ -}}
{{- define "agents.references" -}}
{{- $found := list -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- range $entry := (include "agents.env.assemble" (dict "root" $ "component" $component) | fromJson).entries -}}
{{- with dig "valueFrom" "secretKeyRef" "name" "" $entry -}}{{- $found = append $found (printf "secret %s" .) -}}{{- end -}}
{{- with dig "valueFrom" "configMapKeyRef" "name" "" $entry -}}{{- $found = append $found (printf "configmap %s" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $kind, $entries := dict "secret" .Values.envFromSecretRefs "configmap" .Values.envFromConfigMapRefs -}}
{{- range $entry := $entries | default list -}}
{{- $found = append $found (printf "%s %s" $kind (ternary $entry (get (ternary (dict) $entry (kindIs "string" $entry)) "name") (kindIs "string" $entry))) -}}
{{- end -}}
{{- end -}}
{{- $found | uniq | sortAlpha | toJson -}}
{{- end -}}
