{{- /* Arguments: root, component. Where the settings of a component stand in the values. */ -}}
{{- define "agents.pathOf" -}}
{{- ternary .key (printf "%s.%s" .component .key) (eq .component "controlPlane") -}}
{{- end -}}

{{- define "agents.requirements.scaling" -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- $scaled := include "agents.autoscaling" (dict "root" $ "component" $component) | fromJson -}}
{{- $path := include "agents.pathOf" (dict "component" $component "key" "autoscaling") -}}
{{- $replicas := include "agents.replicas" (dict "root" $ "component" $component) | int64 -}}
{{- $most := $replicas -}}
{{- if $scaled.enabled -}}
{{- $most = $scaled.maxReplicas | int64 -}}
{{- $replicas = $scaled.minReplicas | int64 -}}
{{- if gt ($scaled.minReplicas | int64) ($scaled.maxReplicas | int64) }}
{{ $path }}.minReplicas is more than maxReplicas [V13]
{{- end -}}
{{- if not (or $scaled.targetCPUUtilizationPercentage $scaled.targetMemoryUtilizationPercentage) }}
{{ $path }} has no metric: set targetCPUUtilizationPercentage or targetMemoryUtilizationPercentage [V13]
{{- end -}}
{{- $requests := dig "requests" dict (include "agents.pick" (dict "root" $ "component" $component "key" "resources") | fromJson) -}}
{{- range $resource, $target := dict "cpu" $scaled.targetCPUUtilizationPercentage "memory" $scaled.targetMemoryUtilizationPercentage -}}
{{- if and $target (not (hasKey $requests $resource)) }}
{{ $path }} measures {{ $resource }} relative to its request, which is unset: set resources.requests.{{ $resource }} [V13]
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "agents.requirements.budget" (dict "root" $ "component" $component "replicas" $replicas) -}}
{{- include "agents.requirements.rollout" (dict "root" $ "component" $component) -}}
{{- $elects := or (eq $component "controllers") (and (eq $component "controlPlane") (not $.Values.controllers.enabled)) -}}
{{- if and $elects (gt $most 1) (not $.Values.controllers.leaderElection.enabled) }}
controllers.leaderElection.enabled is false, but there can be up to {{ $most }} replicas: they would all reconcile at the same time [V15]
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Arguments: root, component. */ -}}
{{- define "agents.requirements.rollout" -}}
{{- $rolling := dig "rollingUpdate" dict (include "agents.strategy" . | fromJson) | default dict -}}
{{- if and (has (include "agents.env.text" $rolling.maxSurge) (list "0" "0%")) (has (include "agents.env.text" $rolling.maxUnavailable) (list "0" "0%")) }}
{{ .component }}.strategy or deploymentStrategy allows neither an extra pod nor an unavailable one: raise maxSurge or maxUnavailable [V37]
{{- end -}}
{{- $ready := include "agents.pick" (dict "root" .root "component" .component "key" "minReadySeconds") | int64 -}}
{{- if ge $ready (include "agents.pick" (dict "root" .root "component" .component "key" "progressDeadlineSeconds") | int64) }}
{{ .component }}.minReadySeconds or minReadySeconds is {{ $ready }}, but progressDeadlineSeconds is not longer: no rollout would succeed [V37]
{{- end -}}
{{- end -}}

{{- /* Arguments: root, component, replicas. */ -}}
{{- define "agents.requirements.budget" -}}
{{- $budget := include "agents.disruptionBudget" . | fromJson -}}
{{- $path := include "agents.pathOf" (dict "component" .component "key" "podDisruptionBudget") -}}
{{- if $budget.enabled -}}
{{- $min := ternary "" (include "agents.env.text" $budget.minAvailable) (kindIs "invalid" $budget.minAvailable) -}}
{{- $max := ternary "" (include "agents.env.text" $budget.maxUnavailable) (kindIs "invalid" $budget.maxUnavailable) -}}
{{- if and (ne $min "") (ne $max "") }}
{{ $path }} has both minAvailable and maxUnavailable: set one of them to null [V14]
{{- end -}}
{{- if and (eq $min "") (eq $max "") }}
{{ $path }} has neither minAvailable nor maxUnavailable [V14]
{{- end -}}
{{- range $key, $given := dict "minAvailable" $min "maxUnavailable" $max -}}
{{- if not (regexMatch "^([0-9]+%?)?$" $given) }}
{{ $path }}.{{ $key }} is {{ $given | quote }}: use a number or a percentage [V14]
{{- end -}}
{{- end -}}
{{- if or (has $max (list "0" "0%")) (eq $min "100%") (and (regexMatch "^[0-9]+$" $min) (ge (int64 $min) .replicas)) }}
{{ $path }} forbids every disruption with {{ .replicas }} replicas, so that no node can be drained: allow one [V14]
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.election" -}}
{{- $election := .Values.controllers.leaderElection -}}
{{- if and $election.enabled (not (and (gt ($election.leaseDurationSeconds | int64) ($election.renewDeadlineSeconds | int64)) (gt ($election.renewDeadlineSeconds | int64) ($election.retryPeriodSeconds | int64)))) }}
controllers.leaderElection: leaseDurationSeconds must be greater than renewDeadlineSeconds, and renewDeadlineSeconds greater than retryPeriodSeconds, or no replica could keep the lease [V15]
{{- end -}}
{{- end -}}

{{- define "agents.requirements.probes" -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- $probes := dict -}}
{{- range $key := list "livenessProbe" "readinessProbe" "startupProbe" -}}
{{- $probe := include "agents.overlay" (dict "root" $ "component" $component "key" $key) | fromJson -}}
{{- $_ := set $probes $key $probe -}}
{{- if $probe.enabled -}}
{{- if not (hasPrefix "/" $probe.path) }}
{{ $key }}.path is {{ $probe.path | quote }}: it must start with / ({{ $component }}) [V16]
{{- end -}}
{{- if gt ($probe.timeoutSeconds | int64) ($probe.periodSeconds | int64) }}
{{ $key }}.timeoutSeconds is more than periodSeconds ({{ $component }}) [V16]
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $probes.livenessProbe.enabled (not $probes.startupProbe.enabled) (lt ($probes.livenessProbe.initialDelaySeconds | int64) 1) }}
livenessProbe.initialDelaySeconds is 0 without a startupProbe: a starting process would be killed ({{ $component }}) [V16]
{{- end -}}
{{- $grace := include "agents.pick" (dict "root" $ "component" $component "key" "terminationGracePeriodSeconds") | int64 -}}
{{- $sleep := dig "preStop" "sleep" "seconds" 0 ((index $.Values $component).lifecycle | default dict) | int64 -}}
{{- if and $sleep (ge $sleep $grace) }}
{{ $component }}.lifecycle.preStop.sleep takes the whole terminationGracePeriodSeconds of {{ $grace }}: the process would be killed before it stops [V32]
{{- end -}}
{{- $drain := $.Values.configReload.drainTimeoutSeconds | int64 -}}
{{- if and (eq (toString $.Values.configReload.mode) "exit") (ne $component "gitTargetController") (le $grace $drain) }}
configReload.drainTimeoutSeconds is {{ $drain }} and terminationGracePeriodSeconds of {{ $component }} is {{ $grace }}: the process would be killed before it has drained; raise terminationGracePeriodSeconds, or lower drainTimeoutSeconds [V17]
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.ports" -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- $port := include "agents.httpPort" (dict "root" $ "component" $component) -}}
{{- if not (and (regexMatch "^[1-9][0-9]{0,4}$" $port) (le (int $port) 65535)) }}
{{ $component }}.env.vars.{{ ternary "GITTARGET_PORT" "PORT" (eq $component "gitTargetController") }} is {{ $port | quote }}, there or in env.vars: a port is a number up to 65535 [V18]
{{- end -}}
{{- end -}}
{{- $vars := include "agents.vars" (dict "root" . "component" "controlPlane") | fromJson -}}
{{- $said := get $vars "JANGAR_GRPC_ENABLED" | toString | lower -}}
{{- if .Values.grpc.enabled -}}
{{- if eq (.Values.grpc.port | int64 | toString) (include "agents.httpPort" (dict "root" . "component" "controlPlane")) }}
grpc.port is also the HTTP port: choose another port [V18]
{{- end -}}
{{- with get $vars "JANGAR_GRPC_PORT" -}}
{{- if ne (include "agents.env.text" .) ($.Values.grpc.port | int64 | toString) }}
env.vars.JANGAR_GRPC_PORT is not grpc.port, which the Service uses: set grpc.port instead [V18]
{{- end -}}
{{- end -}}
{{- else if has $said (list "1" "true" "yes" "on") }}
grpc.enabled is false while env.vars.JANGAR_GRPC_ENABLED says {{ $said | quote }}: there would be a gRPC server without a Service [V18]
{{- end -}}
{{- if and .Values.grpc.enabled .Values.grpc.tls (not (and .Values.api.enabled .Values.api.tlsSecret.name)) }}
grpc.tls needs api.enabled and api.tlsSecret.name, whose certificate it uses [V40]
{{- end -}}
{{- if and .Values.grpc.enabled .Values.grpc.tls .Values.grpc.probe.enabled }}
grpc.probe.enabled is true while grpc.tls is, and kubelets probe gRPC only without TLS: pods would never be ready [V18]
{{- end -}}
{{- if and .Values.grpc.probe.enabled (or (not .Values.grpc.enabled) (has $said (list "0" "false" "no" "off" "n"))) }}
grpc.probe.enabled is true while gRPC is off: pods would never be ready [V18]
{{- end -}}
{{- $api := .Values.api -}}
{{- if $api.enabled -}}
{{- if eq ($api.port | int64 | toString) (include "agents.httpPort" (dict "root" . "component" "controlPlane")) }}
api.port is also the HTTP port: choose another port [V18]
{{- end -}}
{{- if and .Values.grpc.enabled (eq ($api.port | int64) (.Values.grpc.port | int64)) }}
api.port is also grpc.port: choose another port [V18]
{{- end -}}
{{- if and (not $api.tlsSecret.name) (not $api.plaintext) }}
api.enabled needs tlsSecret.name, a Secret of type kubernetes.io/tls; without TLS everybody on the way could act as a caller, which api.plaintext accepts [V40]
{{- end -}}
{{- if and $api.tlsSecret.name $api.plaintext }}
api.plaintext is true while api.tlsSecret.name is set: remove one of them [V40]
{{- end -}}
{{- end -}}
{{- range $name := keys $vars | sortAlpha -}}
{{- if hasPrefix "JANGAR_API_" $name }}
env.vars.{{ $name }} is set by api: use its values instead [V40]
{{- end -}}
{{- end -}}
{{- $audit := .Values.gitTargetController.auditWebhook -}}
{{- if and .Values.gitTargetController.enabled $audit.enabled -}}
{{- if eq ($audit.port | int64 | toString) (include "agents.httpPort" (dict "root" . "component" "gitTargetController")) }}
gitTargetController.auditWebhook.port is also the HTTP port: choose another port [V18]
{{- end -}}
{{- if not $audit.tlsSecret.name }}
gitTargetController.auditWebhook.enabled needs tlsSecret.name, a Secret of type kubernetes.io/tls [V39]
{{- end -}}
{{- if not (or $audit.tokenSecret.name $audit.clientCaSecret.name) }}
gitTargetController.auditWebhook.enabled needs tokenSecret.name or clientCaSecret.name, or everybody could name authors [V39]
{{- end -}}
{{- end -}}
{{- range $name := keys (.Values.gitTargetController.env.vars | default dict) | sortAlpha -}}
{{- if and (hasPrefix "GITTARGET_AUDIT_WEBHOOK_" $name) (ne $name "GITTARGET_AUDIT_WEBHOOK_HOST") }}
gitTargetController.env.vars.{{ $name }} is set by gitTargetController.auditWebhook: use its values instead [V39]
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.volumes" -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- $own := index $.Values $component -}}
{{- $containers := list (include "agents.componentLabel" (dict "component" $component)) -}}
{{- range concat ($own.initContainers | default list) ($own.extraContainers | default list) -}}
{{- if has .name $containers }}
{{ $component }}.extraContainers or initContainers has {{ .name | quote }}, which already exists: choose another name [V26]
{{- end -}}
{{- $containers = append $containers .name -}}
{{- end -}}
{{- $service := ne $component "gitTargetController" -}}
{{- $names := list "tmp" -}}
{{- if not $service -}}{{- $names = append $names "state" -}}{{- end -}}
{{- if and $service (eq $.Values.artifacts.store "file") -}}{{- $names = append $names "artifacts" -}}{{- end -}}
{{- range include "agents.secretVolumes" (dict "root" $ "component" $component) | fromJsonArray -}}{{- $names = append $names .name -}}{{- end -}}
{{- range concat ($.Values.extraVolumes | default list) ($own.extraVolumes | default list) -}}
{{- if has .name $names }}
extraVolumes has {{ .name | quote }}, which already exists: choose another name ({{ $component }}) [V26]
{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- range concat ($.Values.extraVolumeMounts | default list) ($own.extraVolumeMounts | default list) -}}
{{- if not (has .name $names) }}
extraVolumeMounts has {{ .name | quote }}, but extraVolumes has no volume with that name ({{ $component }}) [V26]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
