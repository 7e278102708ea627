{{- /* The spec of the VersionControlProvider, as JSON: the keys of the predecessor of this chart, overridden by `spec`. */ -}}
{{- define "agents.versionControlSpec" -}}
{{- $given := .Values.versionControlProvider -}}
{{- $fields := dict "provider" "github" -}}
{{- range $key := list "provider" "apiBaseUrl" "cloneBaseUrl" "webBaseUrl" "cloneProtocol" "sshHost" "sshUser" "repositoryPolicy" "capabilities" "defaults" -}}
{{- with include "agents.withoutUnset" (dict "value" (get $given $key)) -}}{{- $_ := set $fields $key (index (fromJsonArray .) 0) -}}{{- end -}}
{{- end -}}
{{- $auth := deepCopy ($given.auth | default dict) -}}
{{- $method := $auth.method | default (ternary "token" "" (hasKey $auth "token")) -}}
{{- range $other := list "token" "app" "ssh" -}}
{{- if and $method (ne $other $method) -}}{{- $auth = omit $auth $other -}}{{- end -}}
{{- end -}}
{{- with include "agents.withoutUnset" (dict "value" $auth) -}}
{{- $left := index (fromJsonArray .) 0 -}}
{{- if or (hasKey $left "token") (hasKey $left "app") (hasKey $left "ssh") -}}{{- $_ := set $fields "auth" $left -}}{{- end -}}
{{- end -}}
{{- mergeOverwrite $fields (deepCopy ($given.spec | default dict)) | toJson -}}
{{- end -}}

{{- /*
A value without empty texts, zeros, empty lists and maps, and references without a name, in a list as JSON; nothing if none is left. The values of
the predecessor of this chart have these for everything that is not set. Argument: value.
*/ -}}
{{- define "agents.withoutUnset" -}}
{{- if kindIs "map" .value -}}
{{- $left := dict -}}
{{- range $key, $inner := .value -}}
{{- $isUnnamed := false -}}
{{- if and (hasSuffix "Ref" $key) (kindIs "map" $inner) -}}{{- $isUnnamed = not (get $inner "name") -}}{{- end -}}
{{- if not $isUnnamed -}}
{{- with include "agents.withoutUnset" (dict "value" $inner) -}}{{- $_ := set $left $key (index (fromJsonArray .) 0) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $left -}}{{- list $left | toJson -}}{{- end -}}
{{- else if kindIs "bool" .value -}}
{{- list .value | toJson -}}
{{- else if .value -}}
{{- list .value | toJson -}}
{{- end -}}
{{- end -}}
