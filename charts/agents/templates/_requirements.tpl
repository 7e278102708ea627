{{- /* Each rule prints a line for each problem: the value, what is wrong with it, what to do, and the rule's number. */ -}}

{{- define "agents.requirements.migrations" -}}
{{- $own := .Values.controllers.env.vars | default dict -}}
{{- if hasKey $own "JANGAR_MIGRATIONS" -}}
{{- $given := get $own "JANGAR_MIGRATIONS" -}}
{{- if ne (include "agents.migrations.parse" $given) "skip" }}
controllers.env.vars.JANGAR_MIGRATIONS is {{ include "agents.env.text" $given | quote }}: controllers never run migrations; remove it, or set it to skip [V01]
{{- end -}}
{{- end -}}
{{- range $path, $vars := dict "env.vars" .Values.env.vars "controlPlane.env.vars" .Values.controlPlane.env.vars -}}
{{- if hasKey ($vars | default dict) "JANGAR_MIGRATIONS" -}}
{{- $given := get $vars "JANGAR_MIGRATIONS" -}}
{{- if not (include "agents.migrations.parse" $given) }}
{{ $path }}.JANGAR_MIGRATIONS is {{ include "agents.env.text" $given | quote }}: valid values are auto and skip [V01]
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $path, $vars := dict "env.vars" .Values.env.vars "controlPlane.env.vars" .Values.controlPlane.env.vars "controllers.env.vars" $own -}}
{{- if hasKey ($vars | default dict) "JANGAR_SKIP_MIGRATIONS" }}
{{ $path }}.JANGAR_SKIP_MIGRATIONS stops every process at start: remove it; set controlPlane.env.vars.JANGAR_MIGRATIONS to skip instead [V01]
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.env" -}}
{{- $reserved := include "agents.env.reserved" . | fromJsonArray -}}
{{- range $path, $entries := dict "env.extra" .Values.env.extra "env.secrets" .Values.env.secrets "env.config" .Values.env.config -}}
{{- range $at, $entry := $entries | default list -}}
{{- if has $entry.name $reserved }}
{{ $path }}[{{ $at }}] must not set {{ $entry.name }}, which controllers would get too: use controlPlane.env.vars [V02]
{{- end -}}
{{- if and (hasKey $entry "value") (hasKey $entry "valueFrom") }}
{{ $path }}[{{ $at }}] has both value and valueFrom: remove one [V35]
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.validation.reservedEnvKeysEnforced -}}
{{- range $path, $entries := dict "envFromSecretRefs" .Values.envFromSecretRefs "envFromConfigMapRefs" .Values.envFromConfigMapRefs -}}
{{- range $at, $entry := $entries | default list -}}
{{- if kindIs "map" $entry -}}
{{- range $key := $entry.keys | default list -}}
{{- if has (printf "%s%s" ($entry.prefix | default "") $key) $reserved }}
{{ $path }}[{{ $at }}].keys has {{ $key }}, which only the chart may set: remove it from {{ $entry.name }} [V03]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- range $conflict := (include "agents.env.assemble" (dict "root" $ "component" $component) | fromJson).conflicts -}}
{{- if not (has $conflict.name $reserved) }}
{{ $conflict.from }} sets {{ $conflict.name }}, which {{ $conflict.taken }} sets already: remove one, or use {{ $component }}.env.vars to change it [V05]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.database" -}}
{{- $database := .Values.database -}}
{{- if and $database.createSecret.enabled (not $database.url) }}
database.createSecret.enabled needs database.url [V06]
{{- end -}}
{{- if and $database.secretRef.name (or $database.url $database.createSecret.enabled) }}
database.secretRef.name and database.{{ ternary "createSecret" "url" $database.createSecret.enabled }} both define the URL: remove one [V06]
{{- end -}}
{{- if .Values.validation.requireDatabase -}}
{{- $names := list -}}
{{- range (include "agents.env.assemble" (dict "root" $ "component" "controlPlane") | fromJson).entries -}}{{- $names = append $names .name -}}{{- end -}}
{{- if not (has "DATABASE_URL" $names) }}
validation.requireDatabase is true, but no database is configured: set database.secretRef.name [V06]
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.namespaces" -}}
{{- $rbac := .Values.rbac -}}
{{- range $key := list "controller" "orchestrationController" "supportingController" "gitTargetController" -}}
{{- $names := (index $.Values $key).namespaces | default list -}}
{{- range $name := $names -}}
{{- if and (ne $name "*") (not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" $name)) }}
{{ $key }}.namespaces has {{ $name | quote }}, which is not a valid namespace name [V08]
{{- end -}}
{{- end -}}
{{- if and (has "*" $names) (gt (len $names) 1) }}
{{ $key }}.namespaces: "*" means all namespaces and must be the only entry [V08]
{{- end -}}
{{- if lt (len (uniq $names)) (len $names) }}
{{ $key }}.namespaces lists a namespace twice [V08]
{{- end -}}
{{- if and (has "*" $names) (not $rbac.clusterScoped) }}
{{ $key }}.namespaces is "*": set rbac.clusterScoped, or name the namespaces [V07]
{{- end -}}
{{- end -}}
{{- if and $rbac.create (not $rbac.clusterScoped) (not $rbac.perNamespaceRoles) -}}
{{- range $key, $names := dict "controller" (include "agents.controllerNamespaces" .) "gitTargetController" (include "agents.namespacesOf" (dict "root" . "key" "gitTargetController")) -}}
{{- $names = fromJsonArray $names -}}
{{- if gt (len $names) 1 }}
{{ $key }}.namespaces is {{ join ", " $names }}: several namespaces need rbac.perNamespaceRoles or rbac.clusterScoped, or rbac.create=false with Roles of your own [V09]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.names" -}}
{{- range $key := list "nameOverride" "fullnameOverride" "namespaceOverride" -}}
{{- $given := index $.Values $key -}}
{{- if and $given (not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" $given)) }}
{{ $key }} is {{ $given | quote }}: a name has lower-case letters, digits and hyphens, 63 at most [V19]
{{- end -}}
{{- end -}}
{{- range $path := list "serviceAccount.name" "controlPlane.serviceAccount.name" "controllers.serviceAccount.name" "gitTargetController.serviceAccount.name" "gitTargetController.auditWebhook.tlsSecret.name" "gitTargetController.auditWebhook.tokenSecret.name" "gitTargetController.auditWebhook.clientCaSecret.name" "runnerServiceAccount.name" "api.tlsSecret.name" "api.oidc.clientSecret.name" "api.oidc.caSecret.name" "database.secretRef.name" "database.createSecret.name" "database.caSecret.name" "resourceQuota.name" "limitRange.name" "versionControlProvider.name" "argocdHooks.smoke.name" -}}
{{- $at := dict "node" $.Values -}}
{{- range $key := splitList "." $path -}}{{- $_ := set $at "node" (index $at.node $key) -}}{{- end -}}
{{- if and $at.node (not (regexMatch (include "agents.objectName" $) $at.node)) }}
{{ $path }} is {{ $at.node | quote }}: a name has lower-case letters, digits, hyphens and dots, 253 at most [V19]
{{- end -}}
{{- end -}}
{{- if .Values.runnerServiceAccount.create -}}
{{- range $component := include "agents.components" . | fromJsonArray -}}
{{- if eq (include "agents.runnerServiceAccountName" $) (include "agents.serviceAccountName" (dict "root" $ "component" $component)) }}
runnerServiceAccount.name is also the account of {{ $component }}, so runs would have its permissions: choose another name [V19]
{{- end -}}
{{- end -}}
{{- end -}}
{{- $frozen := list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" -}}
{{- $labels := dict "commonLabels" .Values.commonLabels "podLabels" .Values.podLabels -}}
{{- range $component := list "controlPlane" "controllers" "gitTargetController" -}}{{- $_ := set $labels (printf "%s.podLabels" $component) (index $.Values $component).podLabels -}}{{- end -}}
{{- range $path, $given := $labels -}}
{{- range $key := keys ($given | default dict) | sortAlpha -}}
{{- if has $key $frozen }}
{{ $path }} sets {{ $key }}, which selectors use: remove it [V30]
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.labels" -}}
{{- include "agents.requirements.labelsBelow" (dict "path" "" "node" (omit .Values "global" "extraObjects")) -}}
{{- end -}}

{{- /* Labels and annotations wherever values have them; only the keys of annotations may have a domain in capitals. Arguments: path, node. */ -}}
{{- define "agents.requirements.labelsBelow" -}}
{{- range $key, $value := .node -}}
{{- $path := printf "%s.%s" $.path $key | trimPrefix "." -}}
{{- $isLabels := regexMatch "(?i)labels$" $key -}}
{{- if or (not (kindIs "map" $value)) (eq $path "controller.admissionPolicy") -}}
{{- else if or $isLabels (regexMatch "(?i)annotations$" $key) -}}
{{- range $name, $given := $value -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$" (ternary $name (lower $name) $isLabels)) }}
{{ $path }} has {{ $name | quote }}: a key is a name of 63 characters at most, after a domain and a slash where there is one [V34]
{{- else if or (kindIs "map" $given) (kindIs "slice" $given) }}
{{ $path }} has {{ $name | quote }} with a list or map: use a string [V34]
{{- else if and $isLabels (not (regexMatch "^(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?$" (include "agents.env.text" ($given | default "")))) }}
{{ $path }} has {{ $name | quote }} as {{ include "agents.env.text" $given | quote }}: a label's value has letters, digits, hyphens, dots and underscores, 63 at most [V34]
{{- end -}}
{{- end -}}
{{- else -}}
{{- include "agents.requirements.labelsBelow" (dict "path" $path "node" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "agents.requirements.removed" -}}
{{- range $path, $instead := .Files.Get "files/removed-values.yaml" | fromYaml -}}
{{- $at := dict "node" $.Values "found" true "off" false -}}
{{- range $key := splitList "." $path -}}
{{- if and $at.found (kindIs "map" $at.node) (hasKey $at.node $key) -}}{{- $_ := set $at "node" (index $at.node $key) -}}{{- else -}}{{- $_ := set $at "found" false -}}{{- end -}}
{{- if kindIs "map" $at.node -}}{{- if eq (toString (get $at.node "enabled")) "false" -}}{{- $_ := set $at "off" true -}}{{- end -}}{{- end -}}
{{- end -}}
{{- /* What is off or empty asks for nothing. */ -}}
{{- if and $at.found (not $at.off) (include "agents.withoutUnset" (dict "value" $at.node)) }}
{{ $path }} is no longer a value: {{ $instead }} [V28]
{{- end -}}
{{- end -}}
{{- end -}}
