{{- /* Arguments: root, component. */ -}}
{{- define "agents.pdb" -}}
{{- $budget := include "agents.disruptionBudget" . | fromJson -}}
{{- if $budget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "agents.componentName" . | quote }}
  namespace: {{ include "agents.namespace" .root | quote }}
  {{- include "agents.metadata" (dict "root" .root "component" .component "wave" "workloads" "annotations" $budget.annotations) | nindent 2 }}
spec:
  {{- if not (kindIs "invalid" $budget.minAvailable) }}
  minAvailable: {{ include "agents.env.text" $budget.minAvailable }}
  {{- else }}
  maxUnavailable: {{ include "agents.env.text" $budget.maxUnavailable }}
  {{- end }}
  unhealthyPodEvictionPolicy: {{ $budget.unhealthyPodEvictionPolicy }}
  selector:
    matchLabels: {{- include "agents.selectorLabels" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "agents.hpa" -}}
{{- $scaled := include "agents.autoscaling" . | fromJson -}}
{{- if $scaled.enabled -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "agents.componentName" . | quote }}
  namespace: {{ include "agents.namespace" .root | quote }}
  {{- include "agents.metadata" (dict "root" .root "component" .component "wave" "workloads") | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "agents.componentName" . | quote }}
  minReplicas: {{ $scaled.minReplicas | int64 }}
  maxReplicas: {{ $scaled.maxReplicas | int64 }}
  metrics:
    {{- range $resource, $target := dict "cpu" $scaled.targetCPUUtilizationPercentage "memory" $scaled.targetMemoryUtilizationPercentage }}
    {{- if $target }}
    - type: Resource
      resource:
        name: {{ $resource | quote }}
        target:
          type: Utilization
          averageUtilization: {{ $target | int64 }}
    {{- end }}
    {{- end }}
  {{- with $scaled.behavior }}
  behavior: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}
