{{- /*
What each process may do: the verbs that its code uses and no others, which tests/chart/release/used-rights.full.ts holds against the requests of
a whole release. The status of kinds without a controller says so, which needs to see them and to update it. "list" is for API servers that do not stream lists; "<kind>/finalizers" is what the
admission plugin OwnerReferencesPermissionEnforcement demands of whoever makes objects that such a kind owns. Approval decisions are created as a dry run only, to
find out whether the API server keeps users from deciding for others.
*/ -}}
{{- define "agents.rules.controllers" -}}
{{- $features := .Values.rbac.features -}}
{{- $group := "agents.proompteng.ai" -}}
{{- $resources := get (include "agents.kinds.jangar" . | fromYaml) $group -}}
- apiGroups: [{{ $group }}]
  resources: [{{ join ", " $resources }}]
  verbs: [list, watch]
- apiGroups: [{{ $group }}]
  resources: [{{ range $at, $resource := $resources }}{{ if $at }}, {{ end }}{{ $resource }}/status{{ end }}]
  verbs: [update]
{{- range $other, $unreconciled := omit (include "agents.kinds.jangar" . | fromYaml) $group }}
- apiGroups: [{{ $other }}]
  resources: [{{ join ", " $unreconciled }}]
  verbs: [list, watch]
- apiGroups: [{{ $other }}]
  resources: [{{ range $at, $resource := $unreconciled }}{{ if $at }}, {{ end }}{{ $resource }}/status{{ end }}]
  verbs: [update]
{{- end }}
- apiGroups: [{{ $group }}]
  resources: [agentruns]
  verbs: [get, create, patch, delete]
- apiGroups: [{{ $group }}]
  resources: [implementationspecs]
  verbs: [get, create, patch]
- apiGroups: [approvals.proompteng.ai]
  resources: [approvalrequests]
  verbs: [get, create, patch]
- apiGroups: [approvals.proompteng.ai]
  resources: [approvaldecisions]
  verbs: [create]
- apiGroups: [orchestration.proompteng.ai]
  resources: [orchestrationruns]
  verbs: [get, create, patch, delete]
- apiGroups: [orchestration.proompteng.ai]
  resources: [orchestrationruns/finalizers]
  verbs: [update]
- apiGroups: [schedules.proompteng.ai]
  resources: [schedules]
  verbs: [get]
- apiGroups: [schedules.proompteng.ai]
  resources: [schedules/finalizers]
  verbs: [update]
- apiGroups: [signals.proompteng.ai]
  resources: [signaldeliveries]
  verbs: [delete]
- apiGroups: [workspaces.proompteng.ai]
  resources: [workspaces/finalizers]
  verbs: [update]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get, list, watch, create, delete]
- apiGroups: [tools.proompteng.ai]
  resources: [toolruns]
  verbs: [get, create, patch, delete]
- apiGroups: [tools.proompteng.ai]
  resources: [toolruns/finalizers]
  verbs: [update]
- apiGroups: [{{ $group }}]
  resources: [agentruns/finalizers{{ if $features.tokenSecrets }}, versioncontrolproviders/finalizers{{ end }}]
  verbs: [update]
{{- if $features.jobs }}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, delete]
{{- end }}
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, create, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
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

{{- /* Beside controllers it reads who leads, and with the API the objects whose changes it reports, and the keys that sign webhooks. Callers act with their own rights. */ -}}
{{- define "agents.rules.controlPlane" -}}
{{- if not .Values.controllers.enabled }}{{ include "agents.rules.controllers" . }}
{{- else if .Values.api.enabled -}}
{{- range $group, $resources := include "agents.kinds.jangar" . | fromYaml }}
- apiGroups: [{{ $group }}]
  resources: [{{ join ", " $resources }}]
  verbs: [list, watch]
{{- end }}
{{- if .Values.controller.webhook.enabled }}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
{{- end }}
{{- end }}
{{- if .Values.api.enabled }}
- apiGroups: [gitops.proompteng.ai]
  resources: [gitproviders, gittargets, watchrules]
  verbs: [list, watch]
{{- include "agents.rules.uploads" . }}
{{- end }}
{{- end -}}

{{- /* Who a token belongs to, and what its owner may do. Reviews are cluster-scoped by nature, and change nothing. */ -}}
{{- define "agents.rules.reviews" -}}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end -}}

{{- define "agents.rules.gitTargetController" -}}
- apiGroups: [gitops.proompteng.ai]
  resources: [gitproviders, gittargets, watchrules]
  verbs: [list, watch]
- apiGroups: [gitops.proompteng.ai]
  resources: [gitproviders/status, gittargets/status, watchrules/status]
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
  verbs: [list, watch]
{{- end }}
{{- end -}}

{{- /* What is cluster-scoped by nature. */ -}}
{{- define "agents.rules.gitTargetCluster" -}}
- apiGroups: [gitops.proompteng.ai]
  resources: [clusterwatchrules]
  verbs: [list, watch]
- apiGroups: [gitops.proompteng.ai]
  resources: [clusterwatchrules/status]
  verbs: [update]
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
{{- end -}}

{{- /* Arguments: root, name. Only its own lease; create cannot be narrowed by name. */ -}}
{{- define "agents.rules.lease" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ .name }}]
  verbs: [get, update]
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
{{- $rules := include (printf "agents.rules.%s" .component) $root | trim -}}
{{- if not $rules -}}
{{- else if $root.Values.rbac.clusterScoped -}}
{{- $grants = append $grants (dict "kind" "ClusterRole" "name" (printf "%s%s" $cluster $suffix) "rules" $rules) -}}
{{- else -}}
{{- range $namespace := ternary (include "agents.namespacesOf" (dict "root" $root "key" "gitTargetController")) (include "agents.controllerNamespaces" $root) (eq .component "gitTargetController") | fromJsonArray -}}
{{- $grants = append $grants (dict "kind" "Role" "name" $name "namespace" $namespace "rules" $rules) -}}
{{- end -}}
{{- end -}}
{{- $watches := and (eq .component "controlPlane") $root.Values.controllers.enabled -}}
{{- $lease := ternary $name (include "agents.leaseName" $root) (eq .component "gitTargetController") -}}
{{- $grants = append $grants (dict "kind" "Role" "name" (printf "%s-leader" $name) "namespace" (include "agents.namespace" $root) "rules" (include (ternary "agents.rules.leaseReader" "agents.rules.lease" $watches) (dict "name" $lease))) -}}
{{- if and (eq .component "controlPlane") $root.Values.api.enabled -}}
{{- $grants = append $grants (dict "kind" "ClusterRole" "name" (printf "%s-reviews" $cluster) "rules" (include "agents.rules.reviews" $root)) -}}
{{- end -}}
{{- if and (eq .component "controlPlane") (include "agents.oidc.on" $root) -}}
{{- $grants = append $grants (dict "kind" "ClusterRole" "name" (printf "%s-impersonation" $cluster) "rules" (include "agents.rules.impersonation" $root)) -}}
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
