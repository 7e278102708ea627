import {
  defineSetting,
  type Held,
  type Parsed,
  type Setting,
  type SettingOptions,
} from './setting.ts'

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
type Unit = keyof typeof UNITS_MS

export interface DurationOptions extends SettingOptions<number> {
  /** The unit of a bare number, for variables whose name says it (`…_SECONDS`). Without it a unit must be written. */
  readonly bareUnit?: Unit
  readonly minMs?: number
  readonly maxMs?: number
}

/** `30s`, `5m`, `1h30m`, `250ms`. The value is in milliseconds. */
export function duration<const O extends DurationOptions>(
  env: string,
  options: O,
): Setting<Held<number, O>> {
  return defineSetting<number, O>(env, options, {
    expected: describe(options),
    parse: (raw) => parse(raw, options),
    show: formatDuration,
  })
}

const UNIT_NAMES: Record<Unit, string> = {
  d: 'days',
  h: 'hours',
  m: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
}

function describe({ bareUnit, minMs, maxMs }: DurationOptions): string {
  const form = 'a duration such as 30s, 5m or 1h30m'
  return [
    bareUnit === undefined ? form : `a number of ${UNIT_NAMES[bareUnit]}, or ${form}`,
    ...(minMs === undefined ? [] : [`${formatDuration(minMs)} or more`]),
    ...(maxMs === undefined ? [] : [`${formatDuration(maxMs)} or less`]),
  ].join(', ')
}

// Units go from large to small and each at most once, so that 1m30s has one reading.
const PARTS = /^(?:(\d{1,15})d)?(?:(\d{1,15})h)?(?:(\d{1,15})m)?(?:(\d{1,15})s)?(?:(\d{1,15})ms)?$/

function parse(raw: string, { bareUnit, minMs = 0, maxMs }: DurationOptions): Parsed<number> {
  const isBare = /^\d{1,15}$/.test(raw)
  if (isBare && bareUnit === undefined && raw !== '0') {
    return { ok: false, detail: `write the unit, for example ${raw}s` }
  }
  const match = PARTS.exec(isBare ? `${raw}${bareUnit ?? 'ms'}` : raw)
  if (match === null || raw === '') return { ok: false }
  const value = Object.values(UNITS_MS)
    .map((unitMs, index) => Number(match[index + 1] ?? 0) * unitMs)
    .reduce((sum, part) => sum + part, 0)
  if (!Number.isSafeInteger(value)) return { ok: false, detail: 'it is too long' }
  const inRange = value >= minMs && value <= (maxMs ?? value)
  return inRange ? { ok: true, value } : { ok: false }
}

/** The shortest way to write it: 90000 → 1m30s. */
function formatDuration(ms: number): string {
  let rest = ms
  let out = ''
  for (const [unit, unitMs] of Object.entries(UNITS_MS)) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) out += `${count}${unit}`
  }
  return out === '' ? '0s' : out
}
