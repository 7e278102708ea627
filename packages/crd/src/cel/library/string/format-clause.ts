/** A part of a format string: literal text, or a clause such as `%d` or `%.2f`. */
type FormatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'clause'; readonly verb: string; readonly precision: number | undefined }
  /** The rest is invalid. `after` says whether a missing argument is reported first. */
  | { readonly kind: 'error'; readonly message: string }

/** Splits a format string into parts, up to the first error. */
export function* parseFormat(text: string): Generator<FormatPart> {
  let at = 0
  while (at < text.length) {
    const percent = text.indexOf('%', at)
    if (percent < 0) {
      yield { kind: 'text', text: text.slice(at) }
      return
    }
    if (percent > at) yield { kind: 'text', text: text.slice(at, percent) }
    if (text[percent + 1] === '%') {
      yield { kind: 'text', text: '%' }
      at = percent + 2
      continue
    }
    const match = /^(?:\.([0-9]*))?(.)?/su.exec(text.slice(percent + 1))
    const [whole = '', digits, verb] = match ?? []
    const message = clauseProblem(text, percent, digits, verb)
    if (message !== undefined || verb === undefined) {
      yield { kind: 'error', message: message ?? 'unexpected end of string' }
      return
    }
    yield { kind: 'clause', verb, precision: digits === undefined ? undefined : Number(digits) }
    at = percent + 1 + whole.length
  }
}

/** The maximum precision. More decimals than a double has are useless and could request gigabytes of zeros. */
const maxPrecision = 1000

function clauseProblem(
  text: string,
  percent: number,
  digits: string | undefined,
  verb: string | undefined,
): string | undefined {
  if (percent === text.length - 1) return 'unexpected end of string'
  const prefix = 'could not parse formatting clause: '
  const precision = `${prefix}error while parsing precision: `
  if (verb === undefined) return `${precision}could not find end of precision specifier`
  if (digits === '') {
    return `${precision}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`
  }
  if (digits !== undefined && Number(digits) > maxPrecision) {
    return `${precision}precision is more than ${maxPrecision}`
  }
  return 'sdfebxXo'.includes(verb) ? undefined : `${prefix}unrecognized formatting clause "${verb}"`
}

const clauseProblems: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
}

/** The error for a clause that does not accept a value of that type. */
export function clauseMismatch(verb: string, type: string): string {
  return `error during formatting: ${clauseProblems[verb]}, was given ${type}`
}
