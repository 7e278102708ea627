{{- /*
A value as text: numbers from a values file are floats, and 1000000 must not become 1e+06, as it does not in JSON. What has an exponent
there too is written out: no process reads one.
*/ -}}
{{- define "agents.env.text" -}}
{{- if not (kindIs "float64" .) -}}{{- . | toString -}}
{{- else if contains "e" (toJson .) -}}{{- regexReplaceAll "\\.?0+$" (printf "%.20f" .) "" -}}
{{- else -}}{{- . | toJson -}}
{{- end -}}
{{- end -}}

{{- /* Names that the chart alone decides. */ -}}
{{- define "agents.env.reserved" -}}
{{- list "JANGAR_MIGRATIONS" "JANGAR_SKIP_MIGRATIONS" | toJson -}}
{{- end -}}

{{- /* skip and its aliases, as the processes read them. Argument: the value. */ -}}
{{- define "agents.migrations.parse" -}}
{{- $mode := include "agents.env.text" . | trim | lower -}}
{{- if has $mode (list "skip" "disabled" "false" "0" "off") -}}skip
{{- else if eq $mode "auto" -}}auto
{{- end -}}
{{- end -}}

{{- /* Arguments: root, component. The effective mode; controllers have only one. */ -}}
{{- define "agents.migrations.mode" -}}
{{- if eq .component "controlPlane" -}}
{{- $given := get (include "agents.vars" . | fromJson) "JANGAR_MIGRATIONS" -}}
{{- if kindIs "invalid" $given -}}auto{{- else if eq (toString $given) "" -}}auto{{- else -}}{{- include "agents.migrations.parse" $given -}}{{- end -}}
{{- else -}}skip{{- end -}}
{{- end -}}

{{- /* Entries that point somewhere: {name, valueFrom}, and text that only the pod's own place explains. Arguments: root, component. */ -}}
{{- define "agents.env.placed" -}}
{{- $values := .root.Values -}}
{{- $service := ne .component "gitTargetController" -}}
{{- $own := ternary "JANGAR_POD_NAMESPACE" "GITTARGET_POD_NAMESPACE" $service -}}
{{- $entries := list (dict "name" $own "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.namespace"))) -}}
{{- if $service -}}
{{- $database := $values.database -}}
{{- $url := dict -}}
{{- if $database.createSecret.enabled -}}{{- $url = dict "valueFrom" (dict "secretKeyRef" (dict "name" (include "agents.databaseSecretName" .root) "key" $database.secretRef.key)) -}}
{{- else if $database.secretRef.name -}}{{- $url = dict "valueFrom" (dict "secretKeyRef" (dict "name" $database.secretRef.name "key" $database.secretRef.key)) -}}
{{- else if $database.url -}}{{- $url = dict "value" ($database.url | replace "$(" "$$(") -}}
{{- end -}}
{{- if $url -}}{{- $entries = append $entries (merge (dict "name" "DATABASE_URL") $url) -}}{{- end -}}
{{- if $database.caSecret.name -}}{{- $entries = append $entries (dict "name" "PGSSLROOTCERT" "value" (printf "/etc/agents/database-ca/%s" $database.caSecret.key)) -}}{{- end -}}
{{- end -}}
{{- if $service -}}{{- $entries = concat $entries (include "agents.artifacts.placed" . | fromJsonArray) (include "agents.oidc.placed" . | fromJsonArray) -}}{{- end -}}
{{- $headers := $values.tracing.headersSecret -}}
{{- if and $values.tracing.enabled $headers.name -}}
{{- $entries = append $entries (dict "name" "OTEL_EXPORTER_OTLP_HEADERS" "valueFrom" (dict "secretKeyRef" (dict "name" $headers.name "key" $headers.key))) -}}
{{- end -}}
{{- $entries | toJson -}}
{{- end -}}

{{- /* The port of the collector of traces, which its address may leave to its scheme. */ -}}
{{- define "agents.tracing.port" -}}
{{- $url := urlParse .Values.tracing.otlpEndpoint -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}

{{- /* What the chart derives, by name. Arguments: root, component. */ -}}
{{- define "agents.env.chart" -}}
{{- $values := .root.Values -}}
{{- $env := dict "HOME" "/tmp" "TMPDIR" "/tmp" -}}
{{- with $values.kubernetesApi.host -}}{{- $_ := set $env "KUBERNETES_SERVICE_HOST" . -}}{{- end -}}
{{- with $values.kubernetesApi.port -}}{{- $_ := set $env "KUBERNETES_SERVICE_PORT" (include "agents.env.text" .) -}}{{- end -}}
{{- /* glibc would keep freed memory of lists and of several threads: 10 MiB in a process with 10,000 runs. */ -}}
{{- if eq .component "controllers" -}}{{- $env = mergeOverwrite $env (dict "MALLOC_ARENA_MAX" "1" "MALLOC_MMAP_THRESHOLD_" "32768") -}}{{- end -}}
{{- if eq .component "gitTargetController" -}}
{{- $env = mergeOverwrite $env (include "agents.env.gitTarget" .root | fromJson) -}}
{{- range $name, $value := include "agents.env.derived" .root | fromJson -}}
{{- if hasPrefix "OTEL_" $name -}}{{- $_ := set $env $name $value -}}{{- end -}}
{{- end -}}
{{- else -}}
{{- $env = mergeOverwrite $env (include "agents.env.derived" .root | fromJson) -}}
{{- if eq .component "controlPlane" -}}{{- $env = mergeOverwrite $env (include "agents.env.api" .root | fromJson) (include "agents.oidc.env" .root | fromJson) -}}{{- end -}}
{{- $env = mergeOverwrite $env (include "agents.artifacts.env" . | fromJson) -}}
{{- $_ := set $env "JANGAR_IMAGE" (include "agents.image" (dict "root" .root "image" (index $values .component).image)) -}}
{{- $_ := set $env "JANGAR_SERVICE_ACCOUNT_NAME" (include "agents.serviceAccountName" .) -}}
{{- $_ := set $env "JANGAR_LEADER_ELECTION_LEASE_NAME" (include "agents.leaseName" .root) -}}
{{- $reloaded := include "agents.reload.objects" . | fromJson -}}
{{- with $reloaded.secret -}}{{- $_ := set $env "JANGAR_CONFIG_RELOAD_SECRETS" (toJson . | replace "$(" "$$(") -}}{{- end -}}
{{- with $reloaded.configmap -}}{{- $_ := set $env "JANGAR_CONFIG_RELOAD_CONFIGMAPS" (toJson . | replace "$(" "$$(") -}}{{- end -}}
{{- with include "agents.runnerImage" .root -}}{{- $_ := set $env "JANGAR_AGENT_RUNNER_IMAGE" . -}}{{- end -}}
{{- $pulls := list -}}
{{- range concat ($values.controller.defaultWorkload.imagePullSecrets | default list) ($values.runner.image.pullSecrets | default list) -}}
{{- $pulls = append $pulls (ternary . (get (ternary (dict) . (kindIs "string" .)) "name") (kindIs "string" .)) -}}
{{- end -}}
{{- $_ := set $env "JANGAR_AGENT_RUNNER_IMAGE_PULL_SECRETS" ($pulls | uniq | compact | toJson | replace "$(" "$$(") -}}
{{- $account := $values.controller.defaultWorkload.serviceAccountName -}}
{{- if and (not $account) $values.runnerServiceAccount.setAsDefault (or $values.runnerServiceAccount.create $values.runnerServiceAccount.name) -}}
{{- $account = include "agents.runnerServiceAccountName" .root -}}
{{- end -}}
{{- with $account -}}{{- $_ := set $env "JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT" . -}}{{- end -}}
{{- $policy := $values.controller.admissionPolicy -}}
{{- $runner := list -}}
{{- if or $values.runnerServiceAccount.create $values.runnerServiceAccount.name -}}{{- $runner = list (include "agents.runnerServiceAccountName" .root) -}}{{- end -}}
{{- $_ := set $env "JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED" (concat $runner ($policy.serviceAccounts.allowed | default list) | uniq | toJson | replace "$(" "$$(") -}}
{{- $_ := set $env "JANGAR_AGENTS_CONTROLLER_PLATFORM_SERVICE_ACCOUNTS" (include "agents.platformServiceAccounts" .root) -}}
{{- $_ := set $env "JANGAR_AGENTS_CONTROLLER_PLATFORM_SECRETS" (include "agents.platformSecrets" .root | replace "$(" "$$(") -}}
{{- if and (eq .component "controlPlane") $values.controllers.enabled -}}
{{- range list "JANGAR_AGENTS_CONTROLLER_ENABLED" "JANGAR_ORCHESTRATION_CONTROLLER_ENABLED" "JANGAR_SUPPORTING_CONTROLLER_ENABLED" "JANGAR_PRIMITIVES_RECONCILER" -}}
{{- $_ := set $env . "0" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end -}}

{{- /* The accounts of everything that the chart runs, as a JSON list: no run may be one of them. */ -}}
{{- define "agents.platformServiceAccounts" -}}
{{- $names := list -}}
{{- range $component := list "controlPlane" "controllers" "gitTargetController" -}}
{{- $names = append $names (include "agents.serviceAccountName" (dict "root" $ "component" $component)) -}}
{{- end -}}
{{- range $suffix := list "crds" "test" -}}{{- $names = append $names (printf "%s-%s" (include "agents.fullname" $) $suffix) -}}{{- end -}}
{{- with .Values.runtime.scheduleServiceAccount -}}{{- $names = append $names . -}}{{- end -}}
{{- $names | uniq | sortAlpha | toJson -}}
{{- end -}}

{{- /* The Secrets that only the platform's own processes need, as a JSON list: no run may use them. */ -}}
{{- define "agents.platformSecrets" -}}
{{- $names := list -}}
{{- if .Values.database.createSecret.enabled -}}{{- $names = append $names (include "agents.databaseSecretName" .) -}}
{{- else if .Values.database.secretRef.name -}}{{- $names = append $names .Values.database.secretRef.name -}}
{{- end -}}
{{- with .Values.tracing.headersSecret.name -}}{{- $names = append $names . -}}{{- end -}}
{{- if include "agents.oidc.on" . -}}{{- with .Values.api.oidc.clientSecret.name -}}{{- $names = append $names . -}}{{- end -}}{{- end -}}
{{- if eq .Values.artifacts.store "s3" -}}{{- with .Values.artifacts.s3.credentialsSecret.name -}}{{- $names = append $names . -}}{{- end -}}{{- end -}}
{{- if .Values.gitTargetController.enabled -}}
{{- range include "agents.secretVolumes" (dict "root" . "component" "gitTargetController") | fromJsonArray -}}{{- $names = append $names .secret -}}{{- end -}}
{{- end -}}
{{- $names | uniq | toJson -}}
{{- end -}}

{{- define "agents.leaseName" -}}
{{- printf "%s-controllers" (include "agents.fullname" .) -}}
{{- end -}}

{{- /*
The environment of a component: {entries, conflicts}. Each name once. Highest first: forced, the component's own vars, env.vars, what the
chart derives; env.secrets, env.config and env.extra add names and may not change one. In the order of emission a reference $(NAME) finds
what stands before it: places, derived, secrets, config, vars, extra, forced. Arguments: root, component.
*/ -}}
{{- define "agents.env.assemble" -}}
{{- $root := .root -}}
{{- $service := ne .component "gitTargetController" -}}
{{- $vars := include "agents.vars" . | fromJson -}}
{{- $forced := dict -}}
{{- if eq .component "controllers" -}}
{{- $own := .root.Values.controllers.env.vars | default dict -}}
{{- range list "JANGAR_GRPC_ENABLED" "JANGAR_CONTROL_PLANE_CACHE_ENABLED" -}}
{{- if not (hasKey $own .) -}}{{- $_ := set $vars . "0" -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $service -}}{{- $_ := set $forced "JANGAR_MIGRATIONS" (include "agents.migrations.mode" .) -}}{{- end -}}
{{- $entries := list -}}
{{- $source := dict -}}
{{- $conflicts := list -}}
{{- range $name := keys $forced -}}{{- $_ := set $source $name "the chart" -}}{{- $_ := unset $vars $name -}}{{- end -}}
{{- range $name := keys $vars -}}{{- $_ := set $source $name "env.vars" -}}{{- end -}}
{{- range $entry := include "agents.env.placed" . | fromJsonArray -}}
{{- if not (hasKey $source $entry.name) -}}{{- $_ := set $source $entry.name "the chart" -}}{{- $entries = append $entries $entry -}}{{- end -}}
{{- end -}}
{{- $derived := include "agents.env.chart" . | fromJson -}}
{{- range $name := keys $derived | sortAlpha -}}
{{- if not (hasKey $source $name) -}}{{- $_ := set $source $name "the chart" -}}{{- $entries = append $entries (dict "name" $name "value" (get $derived $name)) -}}{{- end -}}
{{- end -}}
{{- $added := list -}}
{{- if $service -}}
{{- range $at, $entry := $root.Values.env.secrets | default list -}}
{{- $ref := dict "name" $entry.secretName "key" ($entry.key | default $entry.name) -}}
{{- if hasKey $entry "optional" -}}{{- $_ := set $ref "optional" $entry.optional -}}{{- end -}}
{{- $added = append $added (dict "from" (printf "env.secrets[%d]" $at) "entry" (dict "name" $entry.name "valueFrom" (dict "secretKeyRef" $ref))) -}}
{{- end -}}
{{- range $at, $entry := $root.Values.env.config | default list -}}
{{- $ref := dict "name" $entry.configMapName "key" ($entry.key | default $entry.name) -}}
{{- if hasKey $entry "optional" -}}{{- $_ := set $ref "optional" $entry.optional -}}{{- end -}}
{{- $added = append $added (dict "from" (printf "env.config[%d]" $at) "entry" (dict "name" $entry.name "valueFrom" (dict "configMapKeyRef" $ref))) -}}
{{- end -}}
{{- range $name := keys $vars | sortAlpha -}}{{- $added = append $added (dict "entry" (dict "name" $name "value" (include "agents.env.text" (get $vars $name)))) -}}{{- end -}}
{{- range $at, $entry := $root.Values.env.extra | default list -}}
{{- $entry = deepCopy $entry -}}
{{- if hasKey $entry "value" -}}{{- $_ := set $entry "value" (include "agents.env.text" $entry.value) -}}{{- end -}}
{{- $added = append $added (dict "from" (printf "env.extra[%d]" $at) "entry" $entry) -}}
{{- end -}}
{{- else -}}
{{- range $name := keys $vars | sortAlpha -}}{{- $added = append $added (dict "entry" (dict "name" $name "value" (include "agents.env.text" (get $vars $name)))) -}}{{- end -}}
{{- end -}}
{{- range $item := $added -}}
{{- $name := $item.entry.name -}}
{{- if and $item.from (hasKey $source $name) -}}
{{- $conflicts = append $conflicts (dict "name" $name "from" $item.from "taken" (get $source $name)) -}}
{{- else -}}
{{- if $item.from -}}{{- $_ := set $source $name $item.from -}}{{- end -}}
{{- $entries = append $entries $item.entry -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $forced -}}{{- $entries = append $entries (dict "name" $name "value" $value) -}}{{- end -}}
{{- dict "entries" $entries "conflicts" $conflicts | toJson -}}
{{- end -}}

{{- /* The `env` of a container. Arguments: root, component. */ -}}
{{- define "agents.env" -}}
{{- range $entry := (include "agents.env.assemble" . | fromJson).entries }}
- name: {{ $entry.name | toYaml }}
  {{- if hasKey $entry "valueFrom" }}
  valueFrom: {{- toYaml $entry.valueFrom | nindent 4 }}
  {{- else }}
  value: {{ $entry.value | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* The `envFrom` of a container; the operator has none. */ -}}
{{- define "agents.envFrom" -}}
{{- if ne .component "gitTargetController" -}}
{{- $lists := dict "secretRef" (.root.Values.envFromSecretRefs | default list) "configMapRef" (.root.Values.envFromConfigMapRefs | default list) -}}
{{- range $kind := list "secretRef" "configMapRef" -}}
{{- range $entry := get $lists $kind }}
{{- $entry = ternary (dict "name" $entry) $entry (kindIs "string" $entry) }}
- {{ $kind }}:
    name: {{ $entry.name | quote }}
    {{- if hasKey $entry "optional" }}
    optional: {{ $entry.optional }}
    {{- end }}
  {{- with $entry.prefix }}
  prefix: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* What the operator takes from values. */ -}}
{{- define "agents.env.gitTarget" -}}
{{- $name := include "agents.componentName" (dict "root" . "component" "gitTargetController") -}}
{{- dict
  "NODE_ENV" "production"
  "GITTARGET_LOG_LEVEL" .Values.logging.level
  "GITTARGET_LOG_FORMAT" .Values.logging.format
  "GITTARGET_PORT" "8080"
  "GITTARGET_PROMETHEUS_METRICS_ENABLED" (.Values.metrics.enabled | toString)
  "GITTARGET_PROMETHEUS_METRICS_PATH" (.Values.metrics.path | replace "$(" "$$(")
  "GITTARGET_NAMESPACES" (include "agents.namespacesOf" (dict "root" . "key" "gitTargetController") | fromJsonArray | join ",")
  "GITTARGET_STATE_DIR" "/var/lib/gittarget"
  "GITTARGET_LEADER_ELECTION_LEASE_NAME" $name
| merge (include "agents.env.auditWebhook" . | fromJson) | toJson -}}
{{- end -}}

{{- define "agents.env.api" -}}
{{- $env := dict -}}
{{- with .Values.api -}}
{{- if .enabled -}}
{{- $env = dict "JANGAR_API_ENABLED" "true" "JANGAR_API_HOST" "0.0.0.0" "JANGAR_API_PORT" (.port | int64 | toString) "JANGAR_API_PLAINTEXT" (.plaintext | toString) -}}
{{- if .tlsSecret.name -}}
{{- $_ := set $env "JANGAR_API_TLS_CERT_FILE" "/etc/agents/api-tls/tls.crt" -}}
{{- $_ := set $env "JANGAR_API_TLS_KEY_FILE" "/etc/agents/api-tls/tls.key" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end -}}

{{- define "agents.env.auditWebhook" -}}
{{- $env := dict -}}
{{- with .Values.gitTargetController.auditWebhook -}}
{{- if .enabled -}}
{{- $env = dict
  "GITTARGET_AUDIT_WEBHOOK_ENABLED" "true"
  "GITTARGET_AUDIT_WEBHOOK_PORT" (.port | int64 | toString)
  "GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE" "/etc/gittarget/audit-tls/tls.crt"
  "GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE" "/etc/gittarget/audit-tls/tls.key" -}}
{{- if .tokenSecret.name -}}{{- $_ := set $env "GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE" (printf "/etc/gittarget/audit-token/%s" .tokenSecret.key) -}}{{- end -}}
{{- if .clientCaSecret.name -}}{{- $_ := set $env "GITTARGET_AUDIT_WEBHOOK_CLIENT_CA_FILE" (printf "/etc/gittarget/audit-client-ca/%s" .clientCaSecret.key) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $env | toJson -}}
{{- end -}}
