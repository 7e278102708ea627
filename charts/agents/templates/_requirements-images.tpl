{{- /* Every image of the render as {path, image}; nothing is said twice. */ -}}
{{- define "agents.images" -}}
{{- $images := list -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- $own := index $.Values $component -}}
{{- $path := ternary (printf "%s.image" $component) "image" (or (ne $own.image.repository "") (ne $own.image.registry "") (ne $own.image.tag "") (ne $own.image.digest "")) -}}
{{- $images = append $images (dict "path" $path "image" (include "agents.image" (dict "root" $ "image" $own.image))) -}}
{{- range $list := list "initContainers" "extraContainers" -}}
{{- range $at, $container := get $own $list | default list -}}{{- $images = append $images (dict "path" (printf "%s.%s[%d].image" $component $list $at) "image" (get $container "image" | default "")) -}}{{- end -}}
{{- end -}}
{{- if ne $component "gitTargetController" -}}
{{- $vars := include "agents.vars" (dict "root" $ "component" $component) | fromJson -}}
{{- range $name := list "JANGAR_AGENT_RUNNER_IMAGE" "JANGAR_AGENT_IMAGE" "JANGAR_AGENT_PUBLISHER_IMAGE" "JANGAR_SCHEDULE_RUNNER_IMAGE" -}}
{{- with get $vars $name -}}{{- $images = append $images (dict "path" (printf "env.vars.%s" $name) "image" .) -}}{{- end -}}
{{- range $at, $entry := $.Values.env.extra | default list -}}
{{- if and (eq $entry.name $name) (hasKey $entry "value") -}}{{- $images = append $images (dict "path" (printf "env.extra[%d].value" $at) "image" (toString $entry.value)) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $key := list "agentRunnerImage" "agentImage" "agentPublisherImage" "scheduleRunnerImage" -}}
{{- with index $.Values.runtime $key -}}{{- $images = append $images (dict "path" (printf "runtime.%s" $key) "image" .) -}}{{- end -}}
{{- end -}}
{{- if and .Values.runner.image.repository (not .Values.runtime.agentRunnerImage) -}}
{{- $images = append $images (dict "path" "runner.image" "image" (include "agents.runnerImage" .)) -}}
{{- end -}}
{{- with .Values.argocdHooks -}}
{{- if .enabled -}}{{- with dig "workload" "image" "" (.smoke.agentRun | default dict) -}}{{- $images = append $images (dict "path" "argocdHooks.smoke.agentRun.workload.image" "image" .) -}}{{- end -}}{{- end -}}
{{- end -}}
{{- if and .Values.tests.enabled (ne (include "agents.tests.image" .) (.Values.controlPlane.image | toJson)) -}}
{{- $images = append $images (dict "path" "tests.image" "image" (include "agents.image" (dict "root" . "image" .Values.tests.image))) -}}
{{- end -}}
{{- $images | uniq | toJson -}}
{{- end -}}

{{- define "agents.requirements.images" -}}
{{- range $found := include "agents.images" . | fromJsonArray -}}
{{- if and $.Values.imagePolicy.requireDigest (not (regexMatch "@sha256:[a-f0-9]{64}$" $found.image)) }}
{{ $found.path }} is {{ $found.image | quote }}: imagePolicy.requireDigest requires a digest [V10]
{{- end -}}
{{- if and $.Values.imagePolicy.forbidLatest (regexMatch ":latest(@|$)" $found.image) }}
{{ $found.path }} is {{ $found.image | quote }}: the tag latest can change at any time; use a version, or set imagePolicy.forbidLatest to false [V11]
{{- end -}}
{{- if not (regexMatch "(:[^/:]+|@sha256:[a-f0-9]{64})$" $found.image) }}
{{ $found.path }} is {{ $found.image | quote }}: it has neither tag nor digest [V12]
{{- end -}}
{{- end -}}
{{- end -}}
