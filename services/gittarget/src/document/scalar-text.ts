/**
 * Strings as YAML. What any YAML reader in use (1.1, 1.2, Go's, JSON's) takes for the same string may stand plain; everything
 * else is quoted, because a quoted string is never wrong.
 */
export const scalarText = (value: string): string => (isPlain(value) ? value : quoted(value))

/** The lines of a block scalar without their indentation, header first; undefined when the text has to be quoted. */
export const blockLines = (value: string): string[] | undefined => {
  if (!value.includes('\n') || UNPRINTABLE.test(value) || !value.isWellFormed()) return undefined
  const body = withoutFinalBreaks(value)
  // The first line tells the indentation, and lines of blanks alone are read differently by different readers.
  if (body === '' || /^[ \t\n]/.test(body) || /^[ \t]+$/m.test(body)) return undefined
  const ends = value.length - body.length
  const lines = body.split('\n')
  if (ends === 0) return ['|-', ...lines]
  if (ends === 1) return ['|', ...lines]
  return ['|+', ...lines, ...Array.from({ length: ends - 1 }, () => '')]
}

/** No pattern for it: one that looks for the end from every line break takes minutes for a megabyte of them. */
const withoutFinalBreaks = (value: string): string => {
  let end = value.length
  while (value[end - 1] === '\n') end -= 1
  return value.slice(0, end)
}

const isPlain = (value: string): boolean =>
  PLAIN.test(value) && !WORDS.test(value) && !/:( |$)/.test(value) && !value.endsWith(' ')

/** Starts with a letter or a slash, so it is no number, date, sign or indicator; holds nothing that ends a plain scalar. */
const PLAIN = /^[A-Za-z/][A-Za-z0-9 _./@%+=()$;:,-]*$/

/** Booleans and nulls of YAML 1.1 and 1.2, and what some readers take for a number without digits before its exponent. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|e[+-]?[0-9_]+)$/i

/** Everything but printable characters, tab and line feed; with the line breaks that only YAML 1.1 knows. */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/

const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

const quoted = (value: string): string =>
  JSON.stringify(value).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
