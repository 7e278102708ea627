{{- /* Arguments: root, component, key. Own settings of a component, else those of all. */ -}}
{{- define "agents.pick" -}}
{{- $own := get (index .root.Values .component) .key -}}
{{- if kindIs "invalid" $own -}}{{- index .root.Values .key | toJson -}}
{{- else if or (kindIs "map" $own) (kindIs "slice" $own) (kindIs "string" $own) -}}
{{- if $own -}}{{- $own | toJson -}}{{- else -}}{{- index .root.Values .key | toJson -}}{{- end -}}
{{- else -}}{{- $own | toJson -}}{{- end -}}
{{- end -}}

{{- /* Arguments: root, component, key. Own settings merged over those of all. */ -}}
{{- define "agents.overlay" -}}
{{- $base := deepCopy (index .root.Values .key | default dict) -}}
{{- if eq .key "podSecurityContext" -}}{{- $base = mergeOverwrite $base (deepCopy (.root.Values.securityContext | default dict)) -}}{{- end -}}
{{- mergeOverwrite $base (deepCopy (get (index .root.Values .component) .key | default dict)) | toJson -}}
{{- end -}}

{{- /* Arguments: probe settings and port name. */ -}}
{{- define "agents.probe" -}}
{{- if .grpcPort -}}
grpc:
  port: {{ .grpcPort | int64 }}
{{- else -}}
httpGet:
  path: {{ .path | quote }}
  port: http
{{- end -}}
{{- range $key := list "initialDelaySeconds" "periodSeconds" "timeoutSeconds" "failureThreshold" "successThreshold" }}
{{- if hasKey $ $key }}
{{ $key }}: {{ get $ $key | int64 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "agents.command" -}}
{{- get (dict
  "controlPlane" "services/jangar/src/main/control-plane.ts"
  "controllers" "services/jangar/src/main/controllers.ts"
  "crds" "services/jangar/src/main/crds.ts"
  "doctor" "services/jangar/src/main/doctor.ts"
  "gitTargetController" "services/gittarget/src/main/operator.ts") .component -}}
{{- end -}}

{{- /* A small young generation: the controllers allocate little, and V8 would keep 20 MiB more. Argument: component. */ -}}
{{- define "agents.nodeFlags" -}}
{{- if eq .component "controllers" -}}--max-semi-space-size=2{{- end -}}
{{- end -}}

{{- /* The Secrets that a process reads as files, as a JSON list of {name, path, secret, keys}. Arguments: root, component. */ -}}
{{- define "agents.secretVolumes" -}}
{{- $values := .root.Values -}}
{{- $volumes := list -}}
{{- if ne .component "gitTargetController" -}}
{{- with $values.database.caSecret -}}
{{- if .name -}}{{- $volumes = append $volumes (dict "name" "database-ca" "path" "/etc/agents/database-ca" "secret" .name "keys" (list .key)) -}}{{- end -}}
{{- end -}}
{{- if and (eq .component "controlPlane") $values.api.enabled $values.api.tlsSecret.name -}}
{{- $volumes = append $volumes (dict "name" "api-tls" "path" "/etc/agents/api-tls" "secret" $values.api.tlsSecret.name "keys" (list "tls.crt" "tls.key")) -}}
{{- end -}}
{{- if and (eq .component "controlPlane") (include "agents.oidc.on" .root) $values.api.oidc.caSecret.name -}}
{{- $volumes = append $volumes (dict "name" "oidc-ca" "path" "/etc/agents/oidc-ca" "secret" $values.api.oidc.caSecret.name "keys" (list $values.api.oidc.caSecret.key)) -}}
{{- end -}}
{{- else if $values.gitTargetController.auditWebhook.enabled -}}
{{- with $values.gitTargetController.auditWebhook -}}
{{- $volumes = append $volumes (dict "name" "audit-tls" "path" "/etc/gittarget/audit-tls" "secret" .tlsSecret.name "keys" (list "tls.crt" "tls.key")) -}}
{{- if .tokenSecret.name -}}{{- $volumes = append $volumes (dict "name" "audit-token" "path" "/etc/gittarget/audit-token" "secret" .tokenSecret.name "keys" (list .tokenSecret.key)) -}}{{- end -}}
{{- if .clientCaSecret.name -}}{{- $volumes = append $volumes (dict "name" "audit-client-ca" "path" "/etc/gittarget/audit-client-ca" "secret" .clientCaSecret.name "keys" (list .clientCaSecret.key)) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $volumes | toJson -}}
{{- end -}}

{{- /* The pod template of every Deployment. Arguments: root, component. */ -}}
{{- define "agents.pod" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $own := index $values .component -}}
{{- $service := ne .component "gitTargetController" -}}
{{- $annotations := mergeOverwrite (deepCopy ($values.podAnnotations | default dict)) (deepCopy ($own.podAnnotations | default dict)) (include "agents.checksum.annotations" . | fromJson) -}}
{{- $labels := mergeOverwrite (deepCopy ($values.commonLabels | default dict)) (deepCopy ($values.podLabels | default dict)) (deepCopy ($own.podLabels | default dict)) (include "agents.componentLabels" . | fromYaml) -}}
{{- $volumes := concat ($values.extraVolumes | default list) ($own.extraVolumes | default list) -}}
{{- $secrets := include "agents.secretVolumes" . | fromJsonArray -}}
{{- $keeps := and $service (eq $values.artifacts.store "file") -}}
{{- $mounts := concat ($values.extraVolumeMounts | default list) ($own.extraVolumeMounts | default list) -}}
metadata:
  labels:
    {{- include "agents.texts" $labels | trim | nindent 4 }}
  {{- with include "agents.texts" $annotations }}
  annotations:
    {{- . | trim | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "agents.serviceAccountName" . | quote }}
  automountServiceAccountToken: {{ $own.serviceAccount.automount }}
  enableServiceLinks: {{ $values.enableServiceLinks }}
  {{- with include "agents.pullSecrets" (dict "root" $root "image" $own.image) | fromJsonArray }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . | quote }}
    {{- end }}
  {{- end }}
  terminationGracePeriodSeconds: {{ include "agents.pick" (dict "root" $root "component" .component "key" "terminationGracePeriodSeconds") }}
  securityContext: {{- include "agents.overlay" (dict "root" $root "component" .component "key" "podSecurityContext") | fromJson | toYaml | nindent 4 }}
  {{- with include "agents.pick" (dict "root" $root "component" .component "key" "nodeSelector") | fromJson }}
  nodeSelector: {{- include "agents.texts" . | trim | nindent 4 }}
  {{- end }}
  {{- with include "agents.pick" (dict "root" $root "component" .component "key" "tolerations") | fromJsonArray }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "agents.pick" (dict "root" $root "component" .component "key" "affinity") | fromJson }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "agents.pick" (dict "root" $root "component" .component "key" "topologySpreadConstraints") | fromJsonArray }}
  topologySpreadConstraints:
    {{- range $constraint := . }}
    {{- if not (hasKey $constraint "labelSelector") }}
    {{- $_ := set $constraint "labelSelector" (dict "matchLabels" (include "agents.selectorLabels" $ | fromYaml)) }}
    {{- end }}
    - {{- toYaml $constraint | nindent 6 }}
    {{- end }}
  {{- end }}
  {{- with $own.priorityClassName | default $values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- with $own.runtimeClassName }}
  runtimeClassName: {{ . | quote }}
  {{- end }}
  {{- with $own.hostAliases }}
  hostAliases: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.dnsPolicy }}
  dnsPolicy: {{ . | quote }}
  {{- end }}
  {{- with $own.dnsConfig }}
  dnsConfig: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.initContainers }}
  initContainers: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ include "agents.componentLabel" . | quote }}
      image: {{ include "agents.image" (dict "root" $root "image" $own.image) | quote }}
      imagePullPolicy: {{ $own.image.pullPolicy | default $values.image.pullPolicy | quote }}
      command: [node, {{ with include "agents.nodeFlags" . }}{{ . }}, {{ end }}{{ include "agents.command" . }}]
      securityContext: {{- include "agents.overlay" (dict "root" $root "component" .component "key" "containerSecurityContext") | fromJson | toYaml | nindent 8 }}
      ports:
        - name: http
          containerPort: {{ include "agents.httpPort" . }}
          protocol: TCP
        {{- if and (eq .component "controlPlane") $values.grpc.enabled }}
        - name: grpc
          containerPort: {{ $values.grpc.port | int64 }}
          protocol: TCP
        {{- end }}
        {{- if and (eq .component "controlPlane") $values.api.enabled }}
        - name: api
          containerPort: {{ $values.api.port | int64 }}
          protocol: TCP
        {{- end }}
        {{- if and (not $service) $values.gitTargetController.auditWebhook.enabled }}
        - name: audit
          containerPort: {{ $values.gitTargetController.auditWebhook.port | int64 }}
          protocol: TCP
        {{- end }}
      env: {{- include "agents.env" . | trim | nindent 8 }}
      {{- with include "agents.envFrom" . | trim }}
      envFrom: {{- . | nindent 8 }}
      {{- end }}
      {{- range $probe := list "startupProbe" "livenessProbe" "readinessProbe" }}
      {{- $settings := include "agents.overlay" (dict "root" $root "component" $.component "key" $probe) | fromJson }}
      {{- if and (eq $.component "controlPlane") (eq $probe "readinessProbe") $values.grpc.enabled $values.grpc.probe.enabled }}
      {{- $settings = set $settings "grpcPort" $values.grpc.port }}
      {{- end }}
      {{- if $settings.enabled }}
      {{ $probe }}: {{- include "agents.probe" $settings | nindent 8 }}
      {{- end }}
      {{- end }}
      {{- with $own.lifecycle }}
      lifecycle: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with include "agents.pick" (dict "root" $root "component" .component "key" "resources") | fromJson }}
      resources: {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: tmp
          mountPath: /tmp
        {{- if not $service }}
        - name: state
          mountPath: /var/lib/gittarget
        {{- end }}
        {{- range $secrets }}
        - name: {{ .name }}
          mountPath: {{ .path }}
          readOnly: true
        {{- end }}
        {{- if $keeps }}
        - name: artifacts
          mountPath: {{ include "agents.artifacts.folder" . }}
        {{- end }}
        {{- with $mounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $own.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if not $service }}
    - name: state
      emptyDir: {}
    {{- end }}
    {{- range $secrets }}
    - name: {{ .name }}
      secret:
        secretName: {{ .secret | quote }}
        items:
          {{- range .keys }}
          - key: {{ . | quote }}
            path: {{ . | quote }}
          {{- end }}
    {{- end }}
    {{- if $keeps }}
    - name: artifacts
      persistentVolumeClaim:
        claimName: {{ $values.artifacts.file.existingClaim | quote }}
    {{- end }}
    {{- with $volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- /* Arguments: root, component. Pods that are asked for where no autoscaler decides. */ -}}
{{- define "agents.replicas" -}}
{{- if eq .component "controlPlane" -}}{{- include "agents.pick" (dict "root" .root "component" .component "key" "replicaCount") -}}
{{- else -}}{{- (index .root.Values .component).replicaCount | int64 -}}{{- end -}}
{{- end -}}

{{- /* The autoscaling settings of a component; the operator has none. */ -}}
{{- define "agents.autoscaling" -}}
{{- if eq .component "controlPlane" -}}{{- .root.Values.autoscaling | toJson -}}
{{- else -}}{{- get (index .root.Values .component) "autoscaling" | default (dict "enabled" false) | toJson -}}{{- end -}}
{{- end -}}

{{- define "agents.disruptionBudget" -}}
{{- if eq .component "controlPlane" -}}{{- include "agents.overlay" (dict "root" .root "component" .component "key" "podDisruptionBudget") -}}
{{- else -}}{{- (index .root.Values .component).podDisruptionBudget | toJson -}}{{- end -}}
{{- end -}}

{{- /*
How a Deployment replaces its pods. Arguments: root, component. The operator has a volume that one pod holds at a time; and who replaces
pods at once has no use for the default's rollingUpdate, which the API server refuses beside it.
*/ -}}
{{- define "agents.strategy" -}}
{{- $all := ternary (dict "type" "Recreate") .root.Values.deploymentStrategy (eq .component "gitTargetController") -}}
{{- $strategy := (index .root.Values .component).strategy | default $all | default dict -}}
{{- if eq ($strategy.type | default "") "Recreate" -}}{{- $strategy = omit $strategy "rollingUpdate" -}}{{- end -}}
{{- $strategy | toJson -}}
{{- end -}}

{{- /* Every Deployment. Arguments: root, component. */ -}}
{{- define "agents.deployment" -}}
{{- $root := .root -}}
{{- $scaled := include "agents.autoscaling" . | fromJson -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "agents.componentName" . | quote }}
  namespace: {{ include "agents.namespace" $root | quote }}
  {{- include "agents.metadata" (dict "root" $root "component" .component "wave" "workloads" "annotations" (include "agents.reloader.annotations" $root | fromJson)) | nindent 2 }}
spec:
  {{- if not $scaled.enabled }}
  replicas: {{ include "agents.replicas" . }}
  {{- end }}
  revisionHistoryLimit: {{ $root.Values.revisionHistoryLimit | int64 }}
  minReadySeconds: {{ include "agents.pick" (dict "root" $root "component" .component "key" "minReadySeconds") }}
  progressDeadlineSeconds: {{ include "agents.pick" (dict "root" $root "component" .component "key" "progressDeadlineSeconds") }}
  strategy: {{- include "agents.strategy" . | fromJson | toYaml | nindent 4 }}
  selector:
    matchLabels: {{- include "agents.selectorLabels" . | nindent 6 }}
  template: {{- include "agents.pod" . | nindent 4 }}
{{- end -}}
