import { parseDuration, type DurationUnit as Unit, unitsMs } from './parse-duration.ts'
import {
  defineSetting,
  type Held,
  type Parsed,
  type Setting,
  type SettingOptions,
} from './setting.ts'

interface DurationOptions extends SettingOptions<number> {
  /**
   * The unit of a number without one, for variables whose name has it (`…_SECONDS`). If omitted, a unit is required.
   */
  readonly bareUnit?: Unit
  readonly minMs?: number
  readonly maxMs?: number
}

/** Declares a duration such as `30s`, `5m`, `1h30m` or `250ms`. The value is in milliseconds. */
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

const unitNames: Record<Unit, string> = {
  d: 'days',
  h: 'hours',
  m: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
}

function describe({ bareUnit, minMs, maxMs }: DurationOptions): string {
  const form = 'a duration such as 30s, 5m or 1h30m'
  return [
    bareUnit === undefined ? form : `a number of ${unitNames[bareUnit]}, or ${form}`,
    ...(minMs === undefined ? [] : [`${formatDuration(minMs)} or more`]),
    ...(maxMs === undefined ? [] : [`${formatDuration(maxMs)} or less`]),
  ].join(', ')
}

// Each unit occurs at most once, larger units first, so that a duration has only one notation.
const durationPattern = /^(?:\d{1,15}d)?(?:\d{1,15}h)?(?:\d{1,15}m)?(?:\d{1,15}s)?(?:\d{1,15}ms)?$/

function parse(raw: string, { bareUnit, minMs = 0, maxMs }: DurationOptions): Parsed<number> {
  const isBare = /^\d{1,15}$/.test(raw)
  if (isBare && bareUnit === undefined && raw !== '0') {
    return { ok: false, detail: `the unit is missing, for example ${raw}s` }
  }
  const written = isBare ? `${raw}${bareUnit ?? 'ms'}` : raw
  const value = durationPattern.test(written) ? parseDuration(written) : undefined
  if (value === undefined) return { ok: false }
  if (!Number.isSafeInteger(value)) return { ok: false, detail: 'the duration is too long' }
  const inRange = value >= minMs && value <= (maxMs ?? value)
  return inRange ? { ok: true, value } : { ok: false }
}

/** The shortest notation of a duration: 90000 → 1m30s. */
function formatDuration(ms: number): string {
  let rest = ms
  let out = ''
  for (const [unit, unitMs] of Object.entries(unitsMs)) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) out += `${count}${unit}`
  }
  return out === '' ? '0s' : out
}
