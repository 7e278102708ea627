{{- /*
Which kinds of admission policies are rendered, as a list. "auto": validating ones from Kubernetes 1.30 on, mutating ones only where the
cluster says that it serves them, which "helm template" alone cannot know.
*/ -}}
{{- define "agents.admission.kinds" -}}
{{- $policies := .Values.admissionPolicies -}}
{{- $kinds := list -}}
{{- $validating := "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy" -}}
{{- if or (eq $policies.validating "enabled") (and (eq $policies.validating "auto") (or (.Capabilities.APIVersions.Has $validating) (semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version))) -}}
{{- $kinds = append $kinds "ValidatingAdmissionPolicy" -}}
{{- end -}}
{{- if or (eq $policies.mutating "enabled") (and (eq $policies.mutating "auto") (ne $policies.validating "disabled") (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")) -}}
{{- $kinds = append $kinds "MutatingAdmissionPolicy" -}}
{{- end -}}
{{- $kinds | toJson -}}
{{- end -}}

{{- /* User names of the accounts that create runs for others, as a CEL list. */ -}}
{{- define "agents.admission.accounts" -}}
{{- $users := list -}}
{{- range $component := list "controlPlane" "controllers" -}}
{{- $users = append $users (printf "'system:serviceaccount:%s:%s'" (include "agents.namespace" $) (include "agents.serviceAccountName" (dict "root" $ "component" $component))) -}}
{{- end -}}
[{{ $users | uniq | join ", " }}]
{{- end -}}

{{- /* The namespaces that the controllers manage, as a list; empty: all of them. */ -}}
{{- define "agents.admission.namespaces" -}}
{{- $namespaces := include "agents.controllerNamespaces" . | fromJsonArray -}}
{{- ternary (list) $namespaces (has "*" $namespaces) | toJson -}}
{{- end -}}
