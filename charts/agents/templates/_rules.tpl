{{- /*
What each process may do, without wildcards. Resources of our own kinds come from the generated lists. Finalizers and owner references are
part of an object's metadata, hence patch on what controllers make or clean up after.
*/ -}}
{{- define "agents.rules.controllers" -}}
{{- $features := .Values.rbac.features -}}
{{- range $group, $resources := include "agents.kinds.jangar" . | fromYaml }}
- apiGroups: [{{ $group }}]
  resources: [{{ join ", " $resources }}]
  verbs: [get, list, watch]
- apiGroups: [{{ $group }}]
  resources: [{{ range $at, $resource := $resources }}{{ if $at }}, {{ end }}{{ $resource }}/status{{ end }}]
  verbs: [get, update, patch]
- apiGroups: [{{ $group }}]
  resources: [{{ range $at, $resource := $resources }}{{ if $at }}, {{ end }}{{ $resource }}/finalizers{{ end }}]
  verbs: [update]
{{- end }}
- apiGroups: [agents.proompteng.ai]
  resources: [agentruns, implementationspecs]
  verbs: [create, patch, delete]
- apiGroups: [orchestration.proompteng.ai]
  resources: [orchestrationruns]
  verbs: [create, patch, delete]
- apiGroups: [tools.proompteng.ai]
  resources: [toolruns]
  verbs: [create, patch, delete]
- apiGroups: [signals.proompteng.ai]
  resources: [signaldeliveries]
  verbs: [create, patch, delete]
- apiGroups: [artifacts.proompteng.ai]
  resources: [artifacts]
  verbs: [create, patch, delete]
{{- if $features.jobs }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
{{- if $features.cronJobs }}
- apiGroups: [batch]
  resources: [cronjobs]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
{{- if $features.persistentVolumeClaims }}
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- if $features.podLogs }}
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch]
{{- if $features.tokenSecrets }}
- apiGroups: [""]
  resources: [secrets]
  verbs: [create, patch, delete]
{{- end }}
{{- with .Values.rbac.extraRules }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "agents.rules.controlPlane" -}}
{{- range $group, $resources := include "agents.kinds.jangar" . | fromYaml }}
- apiGroups: [{{ $group }}]
  resources: [{{ join ", " $resources }}]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: [{{ $group }}]
  resources: [{{ range $at, $resource := $resources }}{{ if $at }}, {{ end }}{{ $resource }}/status{{ end }}]
  verbs: [get]
{{- end }}
- apiGroups: [agents.proompteng.ai]
  resources: [implementationsources/status]
  verbs: [update, patch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [pods, events]
  verbs: [get, list, watch]
{{- if .Values.rbac.features.podLogs }}
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
  {{- with .Values.rbac.secrets.resourceNames }}
  resourceNames: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "agents.rules.gitTargetController" -}}
- apiGroups: [gitops.proompteng.ai]
  resources: [gitproviders, gittargets, watchrules]
  verbs: [get, list, watch, patch]
- apiGroups: [gitops.proompteng.ai]
  resources: [gitproviders/status, gittargets/status, watchrules/status]
  verbs: [get, update, patch]
- apiGroups: [gitops.proompteng.ai]
  resources: [gitproviders/finalizers, gittargets/finalizers, watchrules/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch{{ if .Values.gitTargetController.encryption.autoCreateSecret }}, create{{ end }}]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
{{- range .Values.gitTargetController.mirroredResources }}
- apiGroups: {{ .apiGroups | toJson }}
  resources: {{ .resources | toJson }}
  verbs: [get, list, watch]
{{- end }}
{{- end -}}

{{- /* What is cluster-scoped by nature. */ -}}
{{- define "agents.rules.gitTargetCluster" -}}
- apiGroups: [gitops.proompteng.ai]
  resources: [clusterwatchrules]
  verbs: [get, list, watch, patch]
- apiGroups: [gitops.proompteng.ai]
  resources: [clusterwatchrules/status]
  verbs: [get, update, patch]
- apiGroups: [gitops.proompteng.ai]
  resources: [clusterwatchrules/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get, list, watch]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [get, list, watch]
{{- end -}}

{{- define "agents.rules.accessReviews" -}}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end -}}

{{- define "agents.rules.namespaces" -}}
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get, list, watch]
{{- end -}}

{{- /* Arguments: root, name. Only its own lease; create cannot be narrowed by name. */ -}}
{{- define "agents.rules.lease" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ .name }}]
  verbs: [get, update, patch]
{{- end -}}

{{- /* Only what configReload looks at, by name. Argument: {secret, configmap}. */ -}}
{{- define "agents.rules.reload" -}}
{{- range $kind, $resource := dict "secret" "secrets" "configmap" "configmaps" }}
{{- with get $ $kind }}
- apiGroups: [""]
  resources: [{{ $resource }}]
  resourceNames:
    {{- range . }}
    - {{ .name | quote }}
    {{- end }}
  verbs: [get, watch]
{{- end }}
{{- end }}
{{- end -}}

{{- /* To tell who leads. Arguments: name. */ -}}
{{- define "agents.rules.leaseReader" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ .name }}]
  verbs: [get]
{{- end -}}

{{- /* The control plane does the controllers' work where they have no Deployment of their own. Arguments: root, component. */ -}}
{{- define "agents.rules" -}}
{{- include (printf "agents.rules.%s" .component) .root -}}
{{- if and (eq .component "controlPlane") (not .root.Values.controllers.enabled) }}
{{ include "agents.rules.controllers" .root | trim }}
{{- end }}
{{- end -}}

{{- /* Arguments: root, component, kind (Role or ClusterRole), name, namespace, rules. A role, and its binding to the component's account. */ -}}
{{- define "agents.boundRole" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}
metadata:
  name: {{ .name | quote }}
  {{- with .namespace }}
  namespace: {{ . | quote }}
  {{- end }}
  {{- include "agents.metadata" (dict "root" .root "component" .component "wave" "rbac") | nindent 2 }}
rules: {{- .rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .name | quote }}
  {{- with .namespace }}
  namespace: {{ . | quote }}
  {{- end }}
  {{- include "agents.metadata" (dict "root" .root "component" .component "wave" "rbac") | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name | quote }}
subjects:
  - kind: ServiceAccount
    name: {{ include "agents.serviceAccountName" . | quote }}
    namespace: {{ include "agents.namespace" .root | quote }}
{{- end -}}

{{- /*
Every role of a component as {kind, name, namespace, rules}: what is rendered, and what "helm test" asks for. Rules are YAML text; a
ClusterRole has no namespace. Arguments: root, component.
*/ -}}
{{- define "agents.grants" -}}
{{- $root := .root -}}
{{- $name := include "agents.componentName" . -}}
{{- $suffix := get (dict "controlPlane" "" "controllers" "-controllers" "gitTargetController" "-gittarget") .component -}}
{{- $cluster := include "agents.clusterName" $root -}}
{{- $grants := list -}}
{{- if $root.Values.rbac.clusterScoped -}}
{{- $grants = append $grants (dict "kind" "ClusterRole" "name" (printf "%s%s" $cluster $suffix) "rules" (printf "%s\n%s" (include "agents.rules" .) (include "agents.rules.namespaces" $root))) -}}
{{- else -}}
{{- range $namespace := ternary (include "agents.namespacesOf" (dict "root" $root "key" "gitTargetController")) (include "agents.controllerNamespaces" $root) (eq .component "gitTargetController") | fromJsonArray -}}
{{- $grants = append $grants (dict "kind" "Role" "name" $name "namespace" $namespace "rules" (include "agents.rules" $)) -}}
{{- end -}}
{{- end -}}
{{- $watches := and (eq .component "controlPlane") $root.Values.controllers.enabled -}}
{{- $lease := ternary $name (include "agents.leaseName" $root) (eq .component "gitTargetController") -}}
{{- $grants = append $grants (dict "kind" "Role" "name" (printf "%s-leader" $name) "namespace" (include "agents.namespace" $root) "rules" (include (ternary "agents.rules.leaseReader" "agents.rules.lease" $watches) (dict "name" $lease))) -}}
{{- if and (eq .component "controlPlane") $root.Values.rbac.accessReviews -}}
{{- $grants = append $grants (dict "kind" "ClusterRole" "name" (printf "%s-access" $cluster) "rules" (include "agents.rules.accessReviews" $root)) -}}
{{- end -}}
{{- if eq .component "gitTargetController" -}}
{{- $grants = append $grants (dict "kind" "ClusterRole" "name" (printf "%s-gittarget-rules" $cluster) "rules" (include "agents.rules.gitTargetCluster" $root)) -}}
{{- end -}}
{{- $grants | toJson -}}
{{- end -}}

{{- /* The role with which a component looks at its own configuration, in a list; empty where it does not. Arguments: root, component. */ -}}
{{- define "agents.grants.reload" -}}
{{- $grants := list -}}
{{- if eq (toString .root.Values.configReload.mode) "exit" -}}
{{- with include "agents.rules.reload" (include "agents.reload.objects" . | fromJson) | trim -}}
{{- $grants = append $grants (dict "kind" "Role" "name" (printf "%s-config" (include "agents.componentName" $)) "namespace" (include "agents.namespace" $.root) "rules" .) -}}
{{- end -}}
{{- end -}}
{{- $grants | toJson -}}
{{- end -}}

{{- /* Everything that a component may do, where it may do it. Arguments: root, component. */ -}}
{{- define "agents.rbac" -}}
{{- range $grant := include "agents.grants" . | fromJsonArray }}
---
{{ include "agents.boundRole" (merge (dict "root" $.root "component" $.component) $grant) }}
{{- end }}
{{- end -}}
