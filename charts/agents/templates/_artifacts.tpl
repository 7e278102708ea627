{{- /* Where the claim of artifacts is mounted. */ -}}
{{- define "agents.artifacts.folder" -}}/var/lib/agents/artifacts{{- end -}}

{{- /* Whether a component runs the controllers. Arguments: root, component. */ -}}
{{- define "agents.artifacts.reconciles" -}}
{{- if or (eq .component "controllers") (not .root.Values.controllers.enabled) -}}true{{- end -}}
{{- end -}}

{{- /* The variables of the store that hold nothing secret, by name. Arguments: root, component. */ -}}
{{- define "agents.artifacts.env" -}}
{{- $env := dict -}}
{{- $api := .root.Values.api -}}
{{- with .root.Values.artifacts -}}
{{- if ne .store "off" -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_STORE" .store -}}
{{- if eq .store "file" -}}{{- $_ := set $env "JANGAR_ARTIFACTS_FOLDER" (include "agents.artifacts.folder" $) -}}
{{- else -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_S3_ENDPOINT" (.s3.endpoint | replace "$(" "$$(") -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_S3_REGION" (.s3.region | replace "$(" "$$(") -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_S3_BUCKET" (.s3.bucket | replace "$(" "$$(") -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_S3_PREFIX" (.s3.prefix | replace "$(" "$$(") -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_S3_PATH_STYLE" (.s3.pathStyle | toString) -}}
{{- end -}}
{{- if include "agents.artifacts.reconciles" $ -}}
{{- $own := printf "%s://%s-api.%s.svc:%d" (ternary "http" "https" $api.plaintext) (include "agents.fullname" $.root) (include "agents.namespace" $.root) ($api.port | int64) -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_UPLOAD_URL" (.upload.url | default $own | replace "$(" "$$(") -}}
{{- end -}}
{{- if eq $.component "controlPlane" -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_MAX_BYTES" (.limits.maxBytes | int64 | toString) -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_MAX_RUN_BYTES" (.limits.maxRunBytes | int64 | toString) -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_MAX_PER_RUN" (.limits.maxPerRun | int64 | toString) -}}
{{- $_ := set $env "JANGAR_ARTIFACTS_TTL_DAYS" (.ttlDays | int64 | toString) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end -}}

{{- /* The variables of the store that come from Secrets, as a list of {name, valueFrom}. Arguments: root, component. */ -}}
{{- define "agents.artifacts.placed" -}}
{{- $entries := list -}}
{{- with .root.Values.artifacts -}}
{{- if eq .store "s3" -}}
{{- $secret := .s3.credentialsSecret -}}
{{- $entries = append $entries (dict "name" "JANGAR_ARTIFACTS_S3_ACCESS_KEY_ID" "valueFrom" (dict "secretKeyRef" (dict "name" $secret.name "key" $secret.accessKeyIdKey))) -}}
{{- $entries = append $entries (dict "name" "JANGAR_ARTIFACTS_S3_SECRET_ACCESS_KEY" "valueFrom" (dict "secretKeyRef" (dict "name" $secret.name "key" $secret.secretAccessKeyKey))) -}}
{{- end -}}
{{- if and (ne .store "off") .upload.caSecret.name (include "agents.artifacts.reconciles" $) -}}
{{- $entries = append $entries (dict "name" "JANGAR_ARTIFACTS_UPLOAD_CA" "valueFrom" (dict "secretKeyRef" (dict "name" .upload.caSecret.name "key" .upload.caSecret.key))) -}}
{{- end -}}
{{- end -}}
{{- $entries | toJson -}}
{{- end -}}

{{- /*
What the control plane needs to take uploads and reports of usage, beside the rights that it has anyway: those of the controllers where it runs them, else
those of the API.
*/ -}}
{{- define "agents.rules.uploads" -}}
{{- if ne .Values.artifacts.store "off" }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
- apiGroups: [artifacts.proompteng.ai]
  resources: [artifacts]
  verbs: [get, create{{ if .Values.controllers.enabled }}, list{{ end }}]
{{- if .Values.controllers.enabled }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get]
- apiGroups: [agents.proompteng.ai]
  resources: [agentruns]
  verbs: [get]
- apiGroups: [agents.proompteng.ai]
  resources: [agentruns/status]
  verbs: [update]
- apiGroups: [budgets.proompteng.ai]
  resources: [budgets]
  verbs: [list]
{{- end }}
{{- end }}
{{- end -}}

{{- define "agents.requirements.artifacts" -}}
{{- $artifacts := .Values.artifacts -}}
{{- if ne $artifacts.store "off" -}}
{{- if not .Values.api.enabled }}
artifacts.store is {{ $artifacts.store }}, but api.enabled is false: pods upload to the HTTP API [V41]
{{- end -}}
{{- if and (eq $artifacts.store "file") (not $artifacts.file.existingClaim) }}
artifacts.store is file, but artifacts.file.existingClaim is empty: name a claim that control plane and controllers can mount [V41]
{{- end -}}
{{- if eq $artifacts.store "s3" -}}
{{- range $path, $given := dict "endpoint" $artifacts.s3.endpoint "bucket" $artifacts.s3.bucket "credentialsSecret.name" $artifacts.s3.credentialsSecret.name -}}
{{- if not $given }}
artifacts.store is s3, but artifacts.s3.{{ $path }} is empty [V41]
{{- end -}}
{{- end -}}
{{- if and $artifacts.s3.endpoint (not (regexMatch "^https?://[^/@]+/?$" $artifacts.s3.endpoint)) }}
artifacts.s3.endpoint is not an address such as https://s3.example.com, without a user and a path [V41]
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $component := list "controlPlane" "controllers" -}}
{{- range $name := include "agents.vars" (dict "root" $ "component" $component) | fromJson | keys | sortAlpha -}}
{{- if hasPrefix "JANGAR_ARTIFACTS_" $name }}
env.vars.{{ $name }} is set by artifacts: use its values instead [V41]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
