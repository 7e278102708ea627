{{- define "agents.requirements.checksums" -}}
{{- $settings := .Values.rolloutChecksums -}}
{{- range $path, $entries := dict "secrets" $settings.secrets "configMaps" $settings.configMaps -}}
{{- $names := list -}}
{{- range $at, $entry := $entries | default list -}}
{{- $entry = ternary (dict "name" $entry) $entry (kindIs "string" $entry) -}}
{{- $name := get $entry "name" | default "" -}}
{{- if not $name }}
rolloutChecksums.{{ $path }}[{{ $at }}] has no name [V21]
{{- else if not (regexMatch (include "agents.objectName" $) $name) }}
rolloutChecksums.{{ $path }}[{{ $at }}]: not a valid name: {{ $name | quote }} [V21]
{{- else if has $name $names }}
rolloutChecksums.{{ $path }}[{{ $at }}]: {{ $name }} is listed twice [V21]
{{- end -}}
{{- $names = append $names $name -}}
{{- with get $entry "checksum" -}}
{{- if not (regexMatch "^[a-f0-9]{64}$" .) }}
rolloutChecksums.{{ $path }}[{{ $at }}].checksum is not a SHA-256 in hex [V21]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $owned := include "agents.checksum.owned" . | fromJson -}}
{{- range $entry := include "agents.checksum.entries" . | fromJsonArray -}}
{{- if and $settings.enabled $settings.strict (eq $entry.source "name") }}
rolloutChecksums.strict: no checksum is known for the {{ $entry.kind }} {{ $entry.name }}; run "agentctl chart checksums", or set one [V21]
{{- end -}}
{{- $own := get (get $owned $entry.kind) $entry.name -}}
{{- if and $own (ne $own $entry.checksum) }}
rolloutChecksums: the {{ $entry.kind }} {{ $entry.name }} is rendered by this chart, and its digest differs from the given one; remove the given one [V22]
{{- end -}}
{{- end -}}
{{- if .Values.reloader.enabled -}}
{{- if $settings.enabled }}
reloader.enabled and rolloutChecksums.enabled would both restart the pods: disable one of them [V33]
{{- end -}}
{{- if eq (toString .Values.configReload.mode) "exit" }}
configReload.mode is exit and reloader.enabled is on: both would restart the pods; disable one of them [V20]
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.tracing" -}}
{{- with .Values.tracing -}}
{{- if .enabled -}}
{{- if not .otlpEndpoint }}
tracing.otlpEndpoint is empty but tracing.enabled is true: set it to the collector's address, such as http://collector.observability:4317 [V38]
{{- else if contains "@" .otlpEndpoint }}
tracing.otlpEndpoint contains credentials: put them in a Secret and set tracing.headersSecret to its name [V38]
{{- else if not (regexMatch "^https?://[^/]+(/.*)?$" .otlpEndpoint) }}
tracing.otlpEndpoint is {{ .otlpEndpoint | quote }}: it must start with http:// or https:// [V38]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.objects" -}}
{{- $monitor := .Values.metrics.serviceMonitor -}}
{{- if and $monitor.enabled (eq $monitor.renderMode "failIfMissing") (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1/ServiceMonitor")) }}
metrics.serviceMonitor.renderMode is failIfMissing, but the cluster does not serve ServiceMonitors [V24]
{{- end -}}
{{- if and $monitor.enabled .Values.metrics.enabled (not .Values.metrics.service.enabled) }}
metrics.serviceMonitor.enabled needs metrics.service.enabled: there would be nothing to scrape [V24]
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) }}
ingress.hosts is empty: add an entry, with or without a host [V36]
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
httpRoute.parentRefs is empty: add the gateway [V36]
{{- end -}}
{{- if and .Values.argocdHooks.enabled (not .Values.argocdHooks.smoke.agentRun) }}
argocdHooks.smoke.agentRun is empty: set it to the spec of the AgentRun that must succeed [V25]
{{- end -}}
{{- if and .Values.argocdHooks.enabled (not .Values.argocdHooks.smoke.name) }}
argocdHooks.smoke.name is empty: set it to the name of the AgentRun [V25]
{{- end -}}
{{- range $at, $object := .Values.extraObjects | default list -}}
{{- $documents := list $object -}}
{{- if kindIs "string" $object -}}
{{- $documents = list -}}
{{- range regexSplit "(?m)^---.*$" (tpl $object $) -1 -}}{{- if trim . -}}{{- $documents = append $documents (fromYaml .) -}}{{- end -}}{{- end -}}
{{- $documents = $documents | default (list dict) -}}
{{- end -}}
{{- range $documents -}}
{{- if not (and .apiVersion .kind (.metadata | default dict).name) }}
extraObjects[{{ $at }}] needs apiVersion, kind and metadata.name [V27]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
