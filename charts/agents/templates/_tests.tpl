{{- /* The image of test pods: their own where one is named, else the control plane's, which is what is tested. */ -}}
{{- define "agents.tests.image" -}}
{{- $own := .Values.tests.image -}}
{{- ternary $own .Values.controlPlane.image (or (ne $own.repository "") (ne $own.registry "") (ne $own.tag "") (ne $own.digest "")) | toJson -}}
{{- end -}}

{{- /* No selector of ours has these. */ -}}
{{- define "agents.tests.labels" -}}
{{ include "agents.componentLabels" (dict "root" . "component" "test") }}
{{- end -}}

{{- /* Where each component says that it is ready, as far as a Service leads there. */ -}}
{{- define "agents.tests.urls" -}}
{{- $urls := list -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- $name := include "agents.componentName" (dict "root" $ "component" $component) -}}
{{- $place := "" -}}
{{- if eq $component "controlPlane" -}}{{- $place = printf "%s.%s.svc:%d" $name (include "agents.namespace" $) ($.Values.service.port | int64) -}}
{{- else if and (eq $component "controllers") $.Values.controllers.service.enabled -}}{{- $place = printf "%s.%s.svc:%d" $name (include "agents.namespace" $) ($.Values.controllers.service.port | int64) -}}
{{- else if and $.Values.metrics.enabled $.Values.metrics.service.enabled -}}{{- $place = printf "%s-metrics.%s.svc:%d" $name (include "agents.namespace" $) ($.Values.metrics.service.port | int64) -}}
{{- end -}}
{{- if $place -}}{{- $urls = append $urls (printf "http://%s%s" $place (include "agents.overlay" (dict "root" $ "component" $component "key" "readinessProbe") | fromJson).path) -}}{{- end -}}
{{- end -}}
{{- $urls | toJson -}}
{{- end -}}

{{- /* What a component needs, for --rules: [{namespace, rules}]. Arguments: root, component. */ -}}
{{- define "agents.tests.rules" -}}
{{- $rules := list -}}
{{- range $grant := concat (include "agents.grants" . | fromJsonArray) (include "agents.grants.reload" . | fromJsonArray) -}}
{{- $needed := dict "rules" ($grant.rules | trim | fromYamlArray) -}}
{{- with $grant.namespace -}}{{- $needed = set $needed "namespace" . -}}{{- end -}}
{{- $rules = append $rules $needed -}}
{{- end -}}
{{- $rules | toJson -}}
{{- end -}}

{{- /*
A pod of "helm test". It stays until the next test: Helm 3 deletes what it should delete before it reads the logs, and then fails. Arguments:
root, name, serviceAccountName, args, certificateSecret if one is checked.
*/ -}}
{{- define "agents.tests.pod" -}}
{{- $root := .root -}}
{{- $image := include "agents.tests.image" $root | fromJson -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ .name | quote }}
  namespace: {{ include "agents.namespace" $root | quote }}
  {{- include "agents.metadata" (dict "root" $root "component" "test" "annotations" (dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation")) | nindent 2 }}
spec:
  restartPolicy: Never
  activeDeadlineSeconds: {{ add ($root.Values.tests.timeoutSeconds | int64) 60 }}
  serviceAccountName: {{ .serviceAccountName | quote }}
  automountServiceAccountToken: true
  enableServiceLinks: {{ $root.Values.enableServiceLinks }}
  securityContext: {{- include "agents.overlay" (dict "root" $root "component" "controlPlane" "key" "podSecurityContext") | fromJson | toYaml | nindent 4 }}
  {{- $pulled := dict "pullSecrets" (concat ($image.pullSecrets | default list) ($root.Values.tests.image.pullSecrets | default list)) }}
  {{- with include "agents.pullSecrets" (dict "root" $root "image" $pulled) | fromJsonArray }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . | quote }}
    {{- end }}
  {{- end }}
  {{- with include "agents.pick" (dict "root" $root "component" "controlPlane" "key" "nodeSelector") | fromJson }}
  nodeSelector: {{- include "agents.texts" . | trim | nindent 4 }}
  {{- end }}
  {{- with include "agents.pick" (dict "root" $root "component" "controlPlane" "key" "tolerations") | fromJsonArray }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: test
      image: {{ include "agents.image" (dict "root" $root "image" $image) | quote }}
      imagePullPolicy: {{ $root.Values.tests.image.pullPolicy | default $image.pullPolicy | default $root.Values.image.pullPolicy | quote }}
      command: [node, {{ include "agents.command" (dict "component" "doctor") }}]
      args:
        - --timeout={{ $root.Values.tests.timeoutSeconds | int64 }}s
        {{- range .args }}
        - {{ . | toJson }}
        {{- end }}
      env:
        - name: HOME
          value: /tmp
        - name: TMPDIR
          value: /tmp
        {{- with $root.Values.kubernetesApi.host }}
        - name: KUBERNETES_SERVICE_HOST
          value: {{ . | quote }}
        {{- end }}
        {{- with $root.Values.kubernetesApi.port }}
        - name: KUBERNETES_SERVICE_PORT
          value: {{ include "agents.env.text" . | quote }}
        {{- end }}
      securityContext: {{- include "agents.overlay" (dict "root" $root "component" "controlPlane" "key" "containerSecurityContext") | fromJson | toYaml | nindent 8 }}
      resources:
        requests: {cpu: 10m, memory: 64Mi}
        limits: {memory: 256Mi}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- if .certificateSecret }}
        - name: api-tls
          mountPath: /etc/agents/api-tls
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- with .certificateSecret }}
    {{- /* The certificate, never its key. */}}
    - name: api-tls
      secret:
        secretName: {{ . | quote }}
        items: [{key: tls.crt, path: tls.crt}]
    {{- end }}
{{- end -}}
