{{- define "agents.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* 40 characters at most, so that every suffix still fits into 63; what is cut off lives on in a digest. */ -}}
{{- define "agents.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := .Values.fullnameOverride -}}
{{- if not $full -}}
{{- $full = ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- end -}}
{{- if gt (len $full) 40 -}}
{{- $full = printf "%s-%s" ($full | trunc 31 | trimSuffix "-" | trimSuffix ".") (sha256sum $full | trunc 8) -}}
{{- end -}}
{{- $full | trimSuffix "-" -}}
{{- end -}}

{{- /* What an object can be called, as a pattern. */ -}}
{{- define "agents.objectName" -}}
^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$
{{- end -}}

{{- define "agents.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end -}}

{{- /* Cluster-scoped objects of two releases must not meet. */ -}}
{{- define "agents.clusterName" -}}
{{- printf "%s-%s" (include "agents.namespace" .) (include "agents.fullname" .) -}}
{{- end -}}

{{- /* Arguments: root, component. */ -}}
{{- define "agents.componentName" -}}
{{- $suffix := dict "controlPlane" "" "controllers" "-controllers" "gitTargetController" "-gittarget" -}}
{{- printf "%s%s" (include "agents.fullname" .root) (get $suffix .component) -}}
{{- end -}}

{{- define "agents.componentLabel" -}}
{{- get (dict "controlPlane" "control-plane" "controllers" "controllers" "gitTargetController" "gittarget" "test" "test" "crds" "crds") .component -}}
{{- end -}}

{{- /* The Deployments that this render has, as a list. */ -}}
{{- define "agents.components" -}}
{{- $components := list "controlPlane" -}}
{{- if .Values.controllers.enabled -}}{{- $components = append $components "controllers" -}}{{- end -}}
{{- if .Values.gitTargetController.enabled -}}{{- $components = append $components "gitTargetController" -}}{{- end -}}
{{- $components | toJson -}}
{{- end -}}

{{- /* The name label of a component: different for all pods, so that a selector needs nothing else. Arguments: root, component. */ -}}
{{- define "agents.appName" -}}
{{- $name := include "agents.name" .root -}}
{{- with get (dict "controllers" "controllers" "gitTargetController" "gittarget" "test" "test" "crds" "crds") .component -}}
{{- $name = printf "%s-%s" ($name | trunc 50 | trimSuffix "-") . -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- /*
Frozen: selectors are immutable, and nothing else may ever be added here. They are those of the predecessor of this chart, whose Deployments
can be upgraded for that reason.
*/ -}}
{{- define "agents.selectorLabels" -}}
app.kubernetes.io/name: {{ include "agents.appName" . | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- end -}}

{{- /* The labels of a component's pods and objects. Arguments: root, component. */ -}}
{{- define "agents.componentLabels" -}}
{{ include "agents.selectorLabels" . }}
app.kubernetes.io/component: {{ include "agents.componentLabel" . }}
{{- end -}}

{{- /* Arguments: root, and optionally component, labels, annotations, wave. Labels and annotations of an object. */ -}}
{{- define "agents.metadata" -}}
{{- $labels := dict -}}
{{- if .component -}}{{- $labels = include "agents.componentLabels" . | fromYaml -}}
{{- else -}}{{- $labels = dict "app.kubernetes.io/name" (include "agents.name" .root) "app.kubernetes.io/instance" .root.Release.Name -}}{{- end -}}
{{- $own := dict "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-") "app.kubernetes.io/managed-by" .root.Release.Service "app.kubernetes.io/version" (.root.Chart.AppVersion | default .root.Chart.Version | replace "+" "_" | trunc 63) "app.kubernetes.io/part-of" "agents" -}}
{{- $labels = mergeOverwrite (deepCopy (.root.Values.commonLabels | default dict)) (deepCopy (.labels | default dict)) $own $labels -}}
{{- $annotations := mergeOverwrite (deepCopy (.root.Values.commonAnnotations | default dict)) (deepCopy (.annotations | default dict)) -}}
{{- $waves := .root.Values.argocd.syncWaves -}}
{{- if and .wave $waves.enabled -}}{{- $_ := set $annotations "argocd.argoproj.io/sync-wave" (get $waves .wave | toString) -}}{{- end -}}
labels:
  {{- include "agents.texts" $labels | trim | nindent 2 }}
{{- with include "agents.texts" $annotations }}
annotations:
  {{- . | trim | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* A map of text. A null takes an entry away that an earlier values file made. */ -}}
{{- define "agents.texts" -}}
{{- range $key, $value := . }}
{{- if not (kindIs "invalid" $value) }}
{{ $key | toYaml }}: {{ include "agents.env.text" $value | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "agents.serviceAccountName" -}}
{{- $own := (index .root.Values .component).serviceAccount -}}
{{- $default := include "agents.componentName" . -}}
{{- /* The account of the predecessor of this chart, to which annotations and rights outside of it may refer. */ -}}
{{- if eq .component "controlPlane" -}}{{- $default = printf "%s-sa" $default -}}{{- end -}}
{{- $own.name | default .root.Values.serviceAccount.name | default $default -}}
{{- end -}}

{{- define "agents.runnerServiceAccountName" -}}
{{- .Values.runnerServiceAccount.name | default (printf "%s-runner" (include "agents.fullname" .)) -}}
{{- end -}}

{{- define "agents.databaseSecretName" -}}
{{- .Values.database.createSecret.name | default (printf "%s-database" (include "agents.fullname" .)) -}}
{{- end -}}

{{- define "agents.vars" -}}
{{- /* The variables of a component, its own over those of all; the operator has only its own. */ -}}
{{- $shared := .root.Values.env.vars | default dict -}}
{{- if eq .component "gitTargetController" -}}{{- $shared = dict -}}{{- end -}}
{{- mergeOverwrite (deepCopy $shared) (deepCopy ((index .root.Values .component).env.vars | default dict)) | toJson -}}
{{- end -}}

{{- define "agents.httpPort" -}}
{{- $name := ternary "GITTARGET_PORT" "PORT" (eq .component "gitTargetController") -}}
{{- get (include "agents.vars" . | fromJson) $name | default "8080" | include "agents.env.text" -}}
{{- end -}}

{{- /* Arguments: root, key ("controller", …). The namespaces that a controller watches; none given: those of runs, else the release's. */ -}}
{{- define "agents.namespacesOf" -}}
{{- $given := (index .root.Values .key).namespaces -}}
{{- if has .key (list "orchestrationController" "supportingController") -}}{{- $given = $given | default .root.Values.controller.namespaces -}}{{- end -}}
{{- $given | default (list (include "agents.namespace" .root)) | toJson -}}
{{- end -}}

{{- /* Every namespace that the controllers watch, each once. */ -}}
{{- define "agents.controllerNamespaces" -}}
{{- $all := list -}}
{{- range $key := list "controller" "orchestrationController" "supportingController" -}}
{{- if (index $.Values $key).enabled -}}
{{- $all = concat $all (include "agents.namespacesOf" (dict "root" $ "key" $key) | fromJsonArray) -}}
{{- end -}}
{{- end -}}
{{- $all | default (list (include "agents.namespace" .)) | uniq | sortAlpha | toJson -}}
{{- end -}}
