{{- /*
Arguments: root, image. The image's own fields, then those of `image`. A repository or registry of its own makes it another image: then
neither tag nor digest is borrowed. A tag of its own is not overruled by a borrowed digest.
*/ -}}
{{- define "agents.imageParts" -}}
{{- $base := .root.Values.image -}}
{{- $own := .image | default dict -}}
{{- $other := or $own.repository $own.registry -}}
{{- $tag := $own.tag -}}
{{- $digest := $own.digest -}}
{{- if and (not $other) (not $tag) (not $digest) -}}{{- $tag = $base.tag -}}{{- $digest = $base.digest -}}{{- end -}}
{{- $global := .root.Values.global | default dict -}}
{{- dict
  "registry" ($global.imageRegistry | default $own.registry | default $base.registry)
  "repository" ($own.repository | default $base.repository)
  "tag" ($tag | default (.root.Chart.AppVersion | default "") | toString)
  "digest" ($digest | default "")
| toJson -}}
{{- end -}}

{{- define "agents.image" -}}
{{- $parts := include "agents.imageParts" . | fromJson -}}
{{- $image := $parts.repository -}}
{{- with $parts.registry -}}{{- $image = printf "%s/%s" . $image -}}{{- end -}}
{{- with $parts.tag -}}{{- $image = printf "%s:%s" $image . -}}{{- end -}}
{{- with $parts.digest -}}{{- $image = printf "%s@%s" $image . -}}{{- end -}}
{{- $image -}}
{{- end -}}

{{- /* The image of runs: only where somebody named one. */ -}}
{{- define "agents.runnerImage" -}}
{{- if .Values.runtime.agentRunnerImage -}}
{{- .Values.runtime.agentRunnerImage -}}
{{- else if .Values.runner.image.repository -}}
{{- include "agents.image" (dict "root" . "image" .Values.runner.image) -}}
{{- end -}}
{{- end -}}

{{- define "agents.pullSecrets" -}}
{{- $global := .root.Values.global | default dict -}}
{{- $shared := $global.imagePullSecrets | default list -}}
{{- if not (kindIs "slice" $shared) -}}{{- $shared = list $shared -}}{{- end -}}
{{- $names := list -}}
{{- range concat $shared (.root.Values.image.pullSecrets | default list) (.image.pullSecrets | default list) -}}
{{- $names = append $names (ternary . (get (ternary (dict) . (kindIs "string" .)) "name") (kindIs "string" .)) -}}
{{- end -}}
{{- $names | uniq | compact | toJson -}}
{{- end -}}
