/** What a setting may look like where people read it: the docs' default, the start-up log line. */
export type Shown =
  | null
  | boolean
  | number
  | string
  | readonly Shown[]
  | { readonly [key: string]: Shown }

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  /** `detail` adds to the setting's `expected` what is wrong with this value in particular. */
  | { readonly ok: false; readonly detail?: string }

/** One environment variable: how it is read, and everything that people need to know about it. */
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
  show(value: T): Shown
}

export type Presence<T> =
  | { readonly kind: 'required' }
  | { readonly kind: 'optional' }
  | { readonly kind: 'defaulted'; readonly fallback: T }

/** Settings by name; groups nest, so that a module can be handed its slice of the configuration. */
export interface Declaration {
  readonly [name: string]: Setting<unknown> | Declaration
}

/** The configuration that a declaration describes. */
export type ConfigOf<D> = {
  readonly [Name in keyof D]: D[Name] extends Setting<infer T> ? T : ConfigOf<D[Name]>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What every kind of setting takes. With neither `fallback` nor `optional` the variable is required. */
export interface SettingOptions<T> {
  readonly doc: string
  readonly chart?: string
  readonly secret?: boolean
  readonly fix?: string
  /** Says more than the kind of setting can, where `check` asks for more. */
  readonly expected?: string
  readonly fallback?: T
  /** Not set is a value of its own: `undefined`. */
  readonly optional?: true
  /** Says what is wrong with a value that is well-formed otherwise. */
  readonly check?: (value: T) => string | undefined
}

/** The type that a setting yields, given how it was declared. */
export type Held<T, Options> = Options extends { readonly optional: true } ? T | undefined : T

interface Form<T> {
  readonly expected: string
  readonly parse: (raw: string) => Parsed<T>
  readonly show?: (value: T) => Shown
}

export function defineSetting<T, Options extends SettingOptions<T>>(
  env: string,
  options: Options,
  form: Form<T>,
): Setting<Held<T, Options>> {
  const { doc, chart, secret = false, fix, expected, fallback, optional, check } = options
  if (fallback !== undefined && optional) {
    throw new Error(`${env}: a setting with a fallback is never undefined, so not optional`)
  }
  const show = form.show ?? ((value: T) => value as Shown)
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
  // Undefined comes out only of an optional setting, which is what Held says.
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
  /** Where the value stands in the configuration. */
  readonly path: readonly string[]
  readonly setting: Setting<unknown>
}

/** All settings of a declaration, groups unfolded, in the order in which they are declared. */
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
