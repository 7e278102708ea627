import {
  defineSetting,
  type Held,
  type Parsed,
  type Setting,
  type SettingOptions,
} from './setting.ts'

/** Declares any text. Surrounding white space is removed, because Secrets often end with a line break. */
export function text<const O extends SettingOptions<string>>(
  env: string,
  options: O,
): Setting<Held<string, O>> {
  return defineSetting<string, O>(env, options, {
    expected: 'text',
    parse: (raw) => ({ ok: true, value: raw }),
  })
}

interface NumberOptions extends SettingOptions<number> {
  readonly min?: number
  readonly max?: number
  readonly integer?: boolean
}

/** Declares a number in plain decimal notation: no exponent, no hexadecimal, no thousands separator. */
export function number<const O extends NumberOptions>(
  env: string,
  options: O,
): Setting<Held<number, O>> {
  return defineSetting<number, O>(env, options, {
    expected: describeNumber(options),
    parse: (raw) => parseNumber(raw, options),
  })
}

function describeNumber({ min, max, integer = false }: NumberOptions): string {
  const noun = integer ? 'a whole number' : 'a number'
  if (min !== undefined && max !== undefined) return `${noun} from ${min} to ${max}`
  if (min !== undefined) return `${noun}, ${min} or more`
  return max === undefined ? noun : `${noun}, ${max} or less`
}

function parseNumber(raw: string, { min, max, integer = false }: NumberOptions): Parsed<number> {
  if (/^[+-]?\d+(\.\d+)?e[+-]?\d+$/i.test(raw)) {
    return { ok: false, detail: 'write it without an exponent' }
  }
  if (isServiceLink(raw)) return { ok: false, detail: serviceLinkAdvice }
  if (!(integer ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(raw)) return { ok: false }
  const value = Number(raw)
  if (integer && !Number.isSafeInteger(value))
    return { ok: false, detail: 'the number is too large' }
  const inRange = value >= (min ?? value) && value <= (max ?? value)
  return inRange ? { ok: true, value } : { ok: false }
}

// For a Service called "grpc" Kubernetes sets GRPC_PORT=tcp://10.0.0.1:50051 in every pod of the namespace.
function isServiceLink(raw: string): boolean {
  return /^(?:tcp|udp|sctp):\/\//.test(raw)
}

const serviceLinkAdvice =
  'Kubernetes sets such a value for a Service of this name; set enableServiceLinks to false in the pod'

export function port<const O extends SettingOptions<number>>(
  env: string,
  options: O,
): Setting<Held<number, O>> {
  return defineSetting<number, O>(env, options, {
    expected: 'a port from 1 to 65535',
    parse: (raw) => parseNumber(raw, { doc: '', integer: true, min: 1, max: 65_535 }),
  })
}

const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'n', 'off'].map((word) => [word, false] as const),
])

export function flag<const O extends SettingOptions<boolean>>(
  env: string,
  options: O,
): Setting<Held<boolean, O>> {
  return defineSetting<boolean, O>(env, options, {
    expected: 'true or false (also 1/0, yes/no, on/off)',
    parse: (raw) => {
      const value = booleanTexts.get(raw.toLowerCase())
      return value === undefined ? { ok: false } : { ok: true, value }
    },
  })
}

interface ChoiceOptions<Value extends string> extends SettingOptions<Value> {
  /** Other accepted spellings, each with the value that it stands for. */
  readonly aliases?: Readonly<Record<string, Value>>
}

/** Declares one of a list of values. Case is ignored. */
export function oneOf<
  const Values extends readonly [string, ...string[]],
  const O extends ChoiceOptions<Values[number]>,
>(env: string, values: Values, options: O): Setting<Held<Values[number], O>> {
  const aliases = Object.entries(options.aliases ?? {})
  const words = new Map<string, Values[number]>([
    ...aliases.map(([alias, value]) => [alias.toLowerCase(), value] as const),
    ...values.map((value) => [value.toLowerCase(), value] as const),
  ])
  return defineSetting<Values[number], O>(env, options, {
    expected: describeChoice(values, aliases),
    parse: (raw) => {
      const value = words.get(raw.toLowerCase())
      return value === undefined ? { ok: false } : { ok: true, value }
    },
  })
}

function describeChoice(
  values: readonly string[],
  aliases: readonly (readonly [string, string])[],
): string {
  const described = values.map((value) => {
    const same = aliases.filter(([, stands]) => stands === value).map(([alias]) => alias)
    return same.length === 0 ? value : `${value} (also ${same.toSorted().join(', ')})`
  })
  const last = described.at(-1) ?? ''
  return described.length === 1 ? last : `${described.slice(0, -1).join(', ')} or ${last}`
}

interface UrlOptions extends SettingOptions<string> {
  /** Schemes without the colon. */
  readonly schemes: readonly [string, ...string[]]
}

/** Declares an absolute URL. It is kept as written; credentials in it are never shown. */
export function url<const O extends UrlOptions>(env: string, options: O): Setting<Held<string, O>> {
  const { schemes } = options
  return defineSetting<string, O>(env, options, {
    expected: `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    parse: (raw) =>
      URL.canParse(raw) && schemes.some((scheme) => raw.toLowerCase().startsWith(`${scheme}://`))
        ? { ok: true, value: raw }
        : { ok: false },
    show: hideCredentials,
  })
}

function hideCredentials(raw: string): string {
  const displayed = new URL(raw)
  if (displayed.username === '' && displayed.password === '') return raw
  displayed.username = '***'
  displayed.password = ''
  return displayed.href
}

/** Declares a variable that is no longer read. Setting it is an error that names the replacement. */
export function retired(
  env: string,
  options: { readonly doc: string; readonly fix: string },
): Setting<undefined> {
  return defineSetting<undefined, { doc: string; fix: string; optional: true }>(
    env,
    { ...options, optional: true },
    { expected: 'no value', parse: () => ({ ok: false }) },
  )
}
