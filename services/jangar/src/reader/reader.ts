/** One thing that is wrong with a document, and where: `artifacts[2].name`. */
export interface DocumentProblem {
  readonly path: string
  readonly message: string
}

export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly [DocumentProblem, ...DocumentProblem[]] }

/** Turns one untyped value into a typed one, and notes every problem on the way. */
export interface Reader<T> {
  readonly optional?: boolean
  /** What it returns means nothing once there is a problem. */
  read(value: unknown, path: string, problems: DocumentProblem[]): T
}

interface OptionalReader<T> extends Reader<T> {
  readonly optional: true
}

export type ReadBy<R> = R extends Reader<infer T> ? T : never

/** The document as a typed value, or all that is wrong with it. */
export function readDocument<T>(reader: Reader<T>, document: unknown): ReadResult<T> {
  const problems: DocumentProblem[] = []
  const value = reader.read(document, '', problems)
  const [first, ...others] = problems
  return first === undefined ? { ok: true, value } : { ok: false, problems: [first, ...others] }
}

/** The same for the text of a JSON document. */
export function readJsonDocument<T>(reader: Reader<T>, text: string): ReadResult<T> {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    // The parser's own message quotes the document, which may contain a secret.
    return { ok: false, problems: [{ path: '', message: 'is not valid JSON' }] }
  }
  return readDocument(reader, document)
}

export function formatProblem(document: string, { path, message }: DocumentProblem): string {
  return path === '' ? `${document} ${message}` : `${document}: ${path} ${message}`
}

/** A value that is taken as it is if it is accepted. `expected` completes the sentence "must be …". */
export function leaf<T>(expected: string, accepts: (value: unknown) => value is T): Reader<T> {
  return {
    read(value, path, problems) {
      if (!accepts(value)) problems.push({ path, message: described(value, expected) })
      return value as T
    },
  }
}

function described(value: unknown, expected: string): string {
  return value === undefined ? 'is missing' : `must be ${expected}`
}

export const text = leaf('a string', (value): value is string => typeof value === 'string')

export const someText = leaf(
  'a string that is not empty',
  (value): value is string => typeof value === 'string' && value.trim() !== '',
)

export const flag = leaf('true or false', (value): value is boolean => typeof value === 'boolean')

export const anything = leaf('anything', (_value): _value is unknown => true)

export const anyObject = leaf('an object', isRecord)

export function wholeNumber(min: number, max: number): Reader<number> {
  return leaf(
    `a whole number from ${min} to ${max}`,
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  )
}

export function oneOf<const Words extends readonly [string, ...string[]]>(
  words: Words,
): Reader<Words[number]> {
  return leaf(`one of ${words.join(', ')}`, (value): value is Words[number] =>
    words.some((word) => word === value),
  )
}

export function listOf<T>(entry: Reader<T>): Reader<readonly T[]> {
  return {
    read(value, path, problems) {
      if (Array.isArray(value)) {
        return value.map((member, index) => entry.read(member, `${path}[${index}]`, problems))
      }
      problems.push({ path, message: described(value, 'a list') })
      return []
    },
  }
}

export function mapOf<T>(member: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return {
    read(value, path, problems) {
      if (!isRecord(value)) {
        problems.push({ path, message: described(value, 'an object') })
        return {}
      }
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [
          name,
          member.read(inner, join(path, name), problems),
        ]),
      )
    },
  }
}

/** A member that may be omitted. Null counts as omitted, since some writers use it so. */
export function optional<T>(reader: Reader<T>): OptionalReader<T> {
  return { ...reader, optional: true }
}

type Fields = Readonly<Record<string, Reader<unknown>>>

type OptionalNames<F> = { [N in keyof F]: F[N] extends { optional: true } ? N : never }[keyof F]

type RecordOf<F> = {
  readonly [N in Exclude<keyof F, OptionalNames<F>>]: ReadBy<F[N]>
} & { readonly [N in OptionalNames<F>]?: ReadBy<F[N]> }

/** Members that it does not know are kept as they are: the writer may be newer than the reader. */
export function record<const F extends Fields>(fields: F): Reader<RecordOf<F>> {
  return {
    read(value, path, problems) {
      if (!isRecord(value)) {
        problems.push({ path, message: described(value, 'an object') })
        return {} as RecordOf<F>
      }
      const known: Record<string, unknown> = {}
      for (const [name, reader] of Object.entries(fields)) {
        const member = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined
        if (reader.optional === true && member === undefined) continue
        known[name] = reader.read(member, join(path, name), problems)
      }
      const unknown = Object.entries(value).filter(([name]) => !Object.hasOwn(fields, name))
      return Object.fromEntries([...Object.entries(known), ...unknown]) as RecordOf<F>
    },
  }
}

/**
 * Every member may be omitted. Null and members that it does not know are problems: a misspelled setting would silently
 * keep its default.
 */
export function settings<const F extends Fields>(
  fields: F,
  unknown = 'is not supported; use one of',
): Reader<{ readonly [N in keyof F]?: ReadBy<F[N]> }> {
  return {
    read(value, path, problems) {
      if (!isRecord(value)) {
        problems.push({ path, message: described(value, 'an object') })
        return {}
      }
      const known = Object.entries(value).map(([name, member]) => {
        const reader = Object.hasOwn(fields, name) ? fields[name] : undefined
        if (reader !== undefined) return [name, reader.read(member, join(path, name), problems)]
        const message = `${unknown} ${Object.keys(fields).join(', ')}`
        problems.push({ path: join(path, name), message })
        return [name, undefined]
      })
      return Object.fromEntries(known)
    },
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
