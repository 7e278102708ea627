{{- /* The Service that an Ingress or a route publishes, as JSON {name, portName, port}: the HTTP API and the console if they are served, else the port of the probes. */ -}}
{{- define "agents.published" -}}
{{- $name := include "agents.fullname" . -}}
{{- if .Values.api.enabled -}}
{{- dict "name" (printf "%s-api" $name) "portName" "api" "port" .Values.api.port | toJson -}}
{{- else -}}
{{- dict "name" $name "portName" "http" "port" .Values.service.port | toJson -}}
{{- end -}}
{{- end -}}
{{- /* Every Service. Arguments: root, component, name, settings {type, annotations, labels, clusterIP, trafficDistribution}, port, portName, target, labels. */ -}}
{{- define "agents.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name | quote }}
  namespace: {{ include "agents.namespace" .root | quote }}
  {{- include "agents.metadata" (dict "root" .root "component" .component "wave" "workloads" "annotations" .settings.annotations "labels" (mergeOverwrite (deepCopy (.settings.labels | default dict)) (.labels | default dict))) | nindent 2 }}
spec:
  type: {{ .type | quote }}
  {{- with .settings.clusterIP }}
  clusterIP: {{ . | quote }}
  {{- end }}
  {{- with .settings.trafficDistribution }}
  trafficDistribution: {{ . | quote }}
  {{- end }}
  selector: {{- include "agents.selectorLabels" . | nindent 4 }}
  ports:
    - name: {{ .portName | quote }}
      port: {{ .port | int64 }}
      targetPort: {{ .target | quote }}
      protocol: TCP
      {{- if eq .portName "grpc" }}
      appProtocol: kubernetes.io/h2c
      {{- else if and (eq .portName "api") (not .root.Values.api.plaintext) }}
      appProtocol: https
      {{- end }}
{{- end -}}
