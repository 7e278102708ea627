import { type ChartValue, listValues } from '@agents/chart-tools'
import type { NamedSetting } from '@agents/config'

/** One variable that a value of the chart sets. */
export interface EnvRow {
  readonly env: string
  readonly value: string
  readonly doc: string
  /** How the value becomes text. */
  readonly form:
    | 'text'
    | 'flag'
    | 'number'
    | 'fraction'
    | 'namespaces'
    | 'list'
    | 'map'
    | 'map if not empty'
  /** The flag that must be on for the variable to be set. */
  readonly when?: string
}

/** Variables that hand-written templates set, because they depend on more than one value. */
const placed: readonly string[] = [
  'DATABASE_URL',
  'PGSSLROOTCERT',
  'JANGAR_AGENT_RUNNER_IMAGE',
  'JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT',
  'JANGAR_CONFIG_RELOAD_CONFIGMAPS',
  'JANGAR_CONFIG_RELOAD_SECRETS',
  'JANGAR_MIGRATIONS',
  'JANGAR_SERVICE_ACCOUNT_NAME',
  'OTEL_EXPORTER_OTLP_HEADERS',
]

/** Groups of variables that hand-written templates set. */
const placedPrefixes = ['JANGAR_API_', 'JANGAR_ARTIFACTS_', 'JANGAR_OIDC_']

/** The flags by value group: the variables of a group are only set if its flag is on. */
const whenOn: Readonly<Record<string, string>> = { tracing: 'tracing.enabled' }

/**
 * The variables that are set from one value each, sorted. Throws if a setting refers to a value that does not exist.
 */
export function envRows(
  settings: readonly NamedSetting[],
  values: readonly ChartValue[],
): readonly EnvRow[] {
  const byPath = valuesByPath(values)
  const rows = new Map<string, EnvRow>()
  for (const { setting } of settings) {
    const { env, chart, doc, presence } = setting
    if (chart === undefined || chart.includes('env.vars.')) continue
    const value = requiredValue(byPath, env, chart)
    if (placed.includes(env) || placedPrefixes.some((prefix) => env.startsWith(prefix))) continue
    const when = whenOn[value.path[0] ?? '']
    const form = formOf(value, presence.kind === 'optional')
    rows.set(env, { env, value: chart, doc, form, ...(when !== undefined && { when }) })
  }
  return [...rows.values()].sort((a, b) => (a.env < b.env ? -1 : 1))
}

/** Throws if a setting refers to a value that does not exist. */
export function checkChartValues(
  settings: readonly NamedSetting[],
  values: readonly ChartValue[],
): void {
  const byPath = valuesByPath(values)
  for (const { setting } of settings) {
    const { env, chart } = setting
    if (chart !== undefined && !chart.includes('env.vars.')) requiredValue(byPath, env, chart)
  }
}

function valuesByPath(values: readonly ChartValue[]): ReadonlyMap<string, ChartValue> {
  return new Map(listValues(values).map((value) => [value.path.join('.'), value]))
}

function requiredValue(
  byPath: ReadonlyMap<string, ChartValue>,
  env: string,
  chart: string,
): ChartValue {
  const value = byPath.get(chart)
  if (value === undefined) throw new Error(`${env}: values.yaml has no ${chart}`)
  return value
}

function formOf({ path, fallback }: ChartValue, optional: boolean): EnvRow['form'] {
  if (path.at(-1) === 'namespaces') return 'namespaces'
  if (typeof fallback === 'boolean') return 'flag'
  if (typeof fallback === 'number') return Number.isInteger(fallback) ? 'number' : 'fraction'
  if (typeof fallback === 'string') return 'text'
  if (Array.isArray(fallback)) return 'list'
  return optional ? 'map if not empty' : 'map'
}

/** templates/_env.tpl: the variables that are set from values, as one map of strings. */
export function envTemplate(rows: readonly EnvRow[]): string {
  return [
    '{{- /* Written by "npm run generate" from the declarations of the processes\' settings. Edit those instead. */ -}}',
    '{{- define "agents.env.derived" -}}',
    '{{- $env := dict -}}',
    ...rows.map((row) =>
      row.when === undefined
        ? assignment(row)
        : `{{- if .Values.${row.when} -}}${assignment(row)}{{- end -}}`,
    ),
    '{{- $env | toJson -}}',
    '{{- end -}}',
    '',
  ].join('\n')
}

// Kubernetes would interpret a literal $( as a reference to another variable.
const escaped = 'replace "$(" "$$("'

function assignment({ env, value, form }: EnvRow): string {
  const path = `.Values.${value}`
  const set = (text: string) => `{{- $_ := set $env "${env}" (${text}) -}}`
  switch (form) {
    case 'text':
      return `{{- with ${path} -}}${set(`. | ${escaped}`)}{{- end -}}`
    case 'flag':
      return set(`${path} | toString`)
    case 'number':
      return set(`${path} | int64 | toString`)
    case 'fraction':
      return set(`include "agents.env.text" ${path}`)
    case 'namespaces': {
      const key = value.split('.')[0]
      return set(
        `include "agents.namespacesOf" (dict "root" $ "key" "${key}") | fromJsonArray | join ","`,
      )
    }
    case 'list':
      return set(`${path} | default list | toJson | ${escaped}`)
    case 'map':
      return set(`${path} | default dict | toJson | ${escaped}`)
    case 'map if not empty':
      return `{{- with ${path} -}}${set(`. | toJson | ${escaped}`)}{{- end -}}`
  }
}
