{{- /* Whether people sign in at an OpenID provider. */ -}}
{{- define "agents.oidc.on" -}}
{{- if and .Values.api.enabled .Values.api.oidc.issuerUrl -}}true{{- end -}}
{{- end -}}

{{- /* The variables of the control plane that hold nothing secret, by name. */ -}}
{{- define "agents.oidc.env" -}}
{{- $env := dict -}}
{{- if include "agents.oidc.on" . -}}
{{- with .Values.api.oidc -}}
{{- range $name, $value := dict
  "JANGAR_OIDC_ISSUER_URL" .issuerUrl
  "JANGAR_OIDC_CLIENT_ID" .clientId
  "JANGAR_OIDC_PUBLIC_URL" .publicUrl
  "JANGAR_OIDC_SCOPES" (.scopes | default list | toJson)
  "JANGAR_OIDC_USERNAME_CLAIM" .usernameClaim
  "JANGAR_OIDC_USERNAME_PREFIX" .usernamePrefix
  "JANGAR_OIDC_GROUPS_CLAIM" .groupsClaim
  "JANGAR_OIDC_GROUPS_PREFIX" .groupsPrefix
  "JANGAR_OIDC_GROUPS" (.groups | default list | toJson) -}}
{{- $_ := set $env $name ($value | replace "$(" "$$(") -}}
{{- end -}}
{{- if .caSecret.name -}}{{- $_ := set $env "JANGAR_OIDC_CA_FILE" (printf "/etc/agents/oidc-ca/%s" .caSecret.key) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end -}}

{{- /* The secret of the client, as a list of {name, valueFrom}. Arguments: root, component. */ -}}
{{- define "agents.oidc.placed" -}}
{{- $entries := list -}}
{{- if and (eq .component "controlPlane") (include "agents.oidc.on" .root) -}}
{{- with .root.Values.api.oidc.clientSecret -}}
{{- $entries = append $entries (dict "name" "JANGAR_OIDC_CLIENT_SECRET" "valueFrom" (dict "secretKeyRef" (dict "name" .name "key" .key))) -}}
{{- end -}}
{{- end -}}
{{- $entries | toJson -}}
{{- end -}}

{{- /* The port of the provider, which its address may leave out. */ -}}
{{- define "agents.oidc.port" -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" (urlParse .Values.api.oidc.issuerUrl).host) | default "443" -}}
{{- end -}}

{{- /* The control plane acts as the person who signed in. Names of users are not known beforehand; groups are those in the values. */ -}}
{{- define "agents.rules.impersonation" -}}
- apiGroups: [""]
  resources: [users]
  verbs: [impersonate]
{{- with .Values.api.oidc.groups }}
- apiGroups: [""]
  resources: [groups]
  verbs: [impersonate]
  resourceNames: {{ toJson . }}
{{- end }}
{{- end -}}

{{- define "agents.requirements.oidc" -}}
{{- $oidc := .Values.api.oidc -}}
{{- if $oidc.issuerUrl -}}
{{- if not .Values.api.enabled }}
api.oidc.issuerUrl is set, but api.enabled is false: people sign in to the HTTP API [V42]
{{- end -}}
{{- range $path, $given := dict "clientId" $oidc.clientId "clientSecret.name" $oidc.clientSecret.name "publicUrl" $oidc.publicUrl -}}
{{- if not $given }}
api.oidc.issuerUrl is set, but api.oidc.{{ $path }} is empty [V42]
{{- end -}}
{{- end -}}
{{- if not (regexMatch "^https://[^/@?#]+(/[^@?#]*)?$" $oidc.issuerUrl) }}
api.oidc.issuerUrl is not an address such as https://accounts.example.com [V42]
{{- end -}}
{{- if and $oidc.publicUrl (not (regexMatch "^https://[a-z0-9.-]+(:[0-9]+)?$" $oidc.publicUrl)) }}
api.oidc.publicUrl is not an address such as https://agents.example.com, without a path [V42]
{{- end -}}
{{- $entries := (include "agents.env.assemble" (dict "root" . "component" "controlPlane") | fromJson).entries -}}
{{- $names := list -}}
{{- range $entries -}}{{- $names = append $names .name -}}{{- end -}}
{{- if and (not (has "DATABASE_URL" $names)) (not .Values.envFromSecretRefs) }}
api.oidc.issuerUrl is set, but there is no database, which keeps the sessions: set database [V42]
{{- end -}}
{{- range $path, $name := dict "usernamePrefix" $oidc.usernamePrefix "groupsPrefix" $oidc.groupsPrefix -}}
{{- if hasPrefix "system:" (lower $name) }}
api.oidc.{{ $path }} starts with system:, as names of Kubernetes itself do: choose another prefix [V42]
{{- end -}}
{{- end -}}
{{- range $oidc.groups -}}
{{- if hasPrefix "system:" (lower .) }}
api.oidc.groups has {{ . | quote }}: nobody who signs in can be in a group of Kubernetes itself [V42]
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $component := list "controlPlane" "controllers" -}}
{{- range $name := include "agents.vars" (dict "root" $ "component" $component) | fromJson | keys | sortAlpha -}}
{{- if hasPrefix "JANGAR_OIDC_" $name }}
env.vars.{{ $name }} is set by api.oidc: use its values instead [V42]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
