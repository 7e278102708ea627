import { parse } from 'yaml'
import { at } from '../compat/chart-snapshot.ts'
import type { RenderChart } from '../helm/render-chart.ts'

interface Gate {
  /** The value that enables the template; false by default, or "off" if `on` is set. */
  readonly flag?: string
  /** The value of the flag that enables the template. Default true. */
  readonly on?: string
  /** Instead of a flag: the list whose entries the template renders; empty by default. */
  readonly list?: string
  readonly with?: unknown
}

/** The content of ci/feature-gates.yaml. */
interface FeatureGates {
  readonly core: readonly string[]
  readonly gated: Readonly<Record<string, Gate>>
  readonly defaults: readonly { readonly object: string; readonly reason: string }[]
}

export function readFeatureGates(text: string): FeatureGates {
  return parse(text)
}

/**
 * Checks the list against files and defaults without rendering: every template is listed once, and every flag is off by
 * default.
 */
export function checkGateList(
  gates: FeatureGates,
  templates: readonly string[],
  values: unknown,
): readonly string[] {
  const listed = [...gates.core, ...Object.keys(gates.gated)]
  return [
    ...templates
      .filter((file) => !listed.includes(file))
      .map(
        (file) =>
          `${file} is not listed: render it only if a flag that defaults to false is set, and list it`,
      ),
    ...listed.filter((file) => !templates.includes(file)).map((file) => `${file} does not exist`),
    ...listed
      .filter((file, index) => listed.indexOf(file) !== index)
      .map((file) => `${file} is listed twice`),
    ...Object.entries(gates.gated).flatMap(([file, gate]) => unsafeDefault(file, gate, values)),
  ]
}

function unsafeDefault(file: string, { flag, on, list }: Gate, values: unknown): readonly string[] {
  if (flag !== undefined) {
    const off = on === undefined ? false : 'off'
    return at(values, ...flag.split('.')) === off
      ? []
      : [`${file}: ${flag} is not ${off} by default`]
  }
  const entries = list === undefined ? undefined : at(values, ...list.split('.'))
  return Array.isArray(entries) && entries.length === 0
    ? []
    : [`${file} has neither a flag that defaults to false nor a list that defaults to empty`]
}

/** Checks by rendering that a gated template produces nothing by default, and something with its flag. */
export async function checkGateBehaviour(
  gates: FeatureGates,
  render: RenderChart,
): Promise<readonly string[]> {
  const plain = await render({})
  const standard = sourcesOf(plain)
  const shut = Object.values(gates.gated).map(valuesThatShut).reduce(merged, {})
  const left =
    (await render(shut)) === plain ? [] : ['setting flags to false changes the rendering']
  const open = Object.keys(gates.gated)
    .filter((file) => standard.has(file))
    .map((file) => `${file} renders objects by default`)
  const closed: string[] = []
  for (const [file, gate] of Object.entries(gates.gated)) {
    if (!sourcesOf(await render(valuesThatOpen(gate))).has(file)) {
      closed.push(`${file} renders nothing with ${gate.flag ?? gate.list}`)
    }
  }
  return [...open, ...left, ...closed]
}

/** The templates that contributed to a manifest. */
function sourcesOf(manifest: string): ReadonlySet<string> {
  return new Set(
    [...manifest.matchAll(/^# Source: agents\/templates\/(.+)$/gm)].map(([, file = '']) => file),
  )
}

/** The minimal values that enable a gated template. */
function valuesThatOpen(gate: Gate): unknown {
  const flag = (gate.flag ?? '').split('.').filter((part) => part !== '')
  const on = flag.reduceRight<unknown>((value, key) => ({ [key]: value }), gate.on ?? true)
  return flag.length === 0 ? gate.with : merged(gate.with ?? {}, on)
}

/** The default of the gate as explicit values. */
function valuesThatShut({ flag, on, list }: Gate): unknown {
  const path = (flag ?? list ?? '').split('.')
  const off = flag === undefined ? [] : on === undefined ? false : 'off'
  return path.reduceRight<unknown>((value, key) => ({ [key]: value }), off)
}

function merged(a: unknown, b: unknown): unknown {
  if (!isMap(a) || !isMap(b)) return b
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries(
    [...keys].map((key) => [
      key,
      Object.hasOwn(b, key) ? (Object.hasOwn(a, key) ? merged(a[key], b[key]) : b[key]) : a[key],
    ]),
  )
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
