/** A value as users see it: the default in the documentation, the effective value in the log. */
export type DisplayValue =
  | null
  | boolean
  | number
  | string
  | readonly DisplayValue[]
  | { readonly [key: string]: DisplayValue }

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  /** `detail` says what is wrong with this value in particular; it is appended to the setting's `expected`. */
  | { readonly ok: false; readonly detail?: string }

/** One environment variable: how it is parsed and how it is documented. */
export interface Setting<T> {
  readonly env: string
  readonly doc: string
  /** Completes the sentence "expected …". */
  readonly expected: string
  /** Path of the Helm value that sets it. */
  readonly chart?: string
  /** Never shown, neither in errors nor in logs. */
  readonly secret: boolean
  readonly presence: Presence<T>
  /** Overrides the advice that an error gives. */
  readonly fix?: string
  parse(raw: string): Parsed<T>
  show(value: T): DisplayValue
}

type Presence<T> =
  | { readonly kind: 'required' }
  | { readonly kind: 'optional' }
  | { readonly kind: 'defaulted'; readonly fallback: T }

/** Settings by name. Groups nest, so that a module can get only its part of the configuration. */
export interface Declaration {
  readonly [name: string]: Setting<unknown> | Declaration
}

/** The configuration that a declaration describes. */
export type ConfigOf<D> = {
  readonly [Name in keyof D]: D[Name] extends Setting<infer T> ? T : ConfigOf<D[Name]>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The options of every kind of setting. If neither `fallback` nor `optional` is set, the variable is required. */
export interface SettingOptions<T> {
  readonly doc: string
  readonly chart?: string
  readonly secret?: boolean
  readonly fix?: string
  /** Replaces the text of the kind of setting, if `check` requires more than that kind does. */
  readonly expected?: string
  readonly fallback?: T
  /** The value is `undefined` if the variable is not set. */
  readonly optional?: true
  /** Returns the problem of a value that was parsed, or undefined. */
  readonly check?: (value: T) => string | undefined
}

/** The type that a setting yields, given how it was declared. */
export type Held<T, Options> = Options extends { readonly optional: true } ? T | undefined : T

interface Form<T> {
  readonly expected: string
  readonly parse: (raw: string) => Parsed<T>
  readonly show?: (value: T) => DisplayValue
}

export function defineSetting<T, Options extends SettingOptions<T>>(
  env: string,
  options: Options,
  form: Form<T>,
): Setting<Held<T, Options>> {
  const { doc, chart, secret = false, fix, expected, fallback, optional, check } = options
  if (fallback !== undefined && optional) {
    throw new Error(`${env}: a setting with a fallback cannot be optional`)
  }
  const show = form.show ?? ((value: T) => value as DisplayValue)
  const setting: Setting<T | undefined> = {
    env,
    doc,
    expected: expected ?? form.expected,
    ...(chart !== undefined && { chart }),
    ...(fix !== undefined && { fix }),
    secret,
    presence: presenceOf(fallback, optional),
    parse: (raw) => checked(form.parse(raw), check),
    show: (value) => (value === undefined ? null : show(value)),
  }
  // Only an optional setting yields undefined, as the type Held states.
  return setting as Setting<Held<T, Options>>
}

function presenceOf<T>(fallback: T | undefined, optional: true | undefined): Presence<T> {
  if (fallback !== undefined) return { kind: 'defaulted', fallback }
  return { kind: optional ? 'optional' : 'required' }
}

function checked<T>(
  parsed: Parsed<T>,
  check: ((value: T) => string | undefined) | undefined,
): Parsed<T> {
  if (!parsed.ok) return parsed
  const detail = check?.(parsed.value)
  return detail === undefined ? parsed : { ok: false, detail }
}

export interface NamedSetting {
  /** The path of the value in the configuration. */
  readonly path: readonly string[]
  readonly setting: Setting<unknown>
}

/** All settings of a declaration and its groups, in declaration order. */
export function listSettings(
  declaration: Declaration,
  path: readonly string[] = [],
): readonly NamedSetting[] {
  return Object.entries(declaration).flatMap(([name, entry]) =>
    isSetting(entry)
      ? [{ path: [...path, name], setting: entry }]
      : listSettings(entry, [...path, name]),
  )
}

export function isSetting(entry: Setting<unknown> | Declaration): entry is Setting<unknown> {
  return typeof entry.env === 'string' && typeof entry.parse === 'function'
}
