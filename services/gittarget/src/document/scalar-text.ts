/**
 * A string as YAML. It is written plain only if all common YAML readers (1.1, 1.2, Go, JSON) read it as the same
 * string; otherwise it is quoted, which is always safe.
 */
export function scalarText(value: string): string {
  return isPlain(value) ? value : quoted(value)
}

/** The lines of a block scalar without indentation, header first; undefined if the text has to be quoted. */
export function blockLines(value: string): string[] | undefined {
  if (!value.includes('\n') || unprintable.test(value) || !value.isWellFormed()) return undefined
  const body = withoutFinalBreaks(value)
  // The first line determines the indentation, and readers differ on lines of blanks.
  if (body === '' || /^[ \t\n]/.test(body) || /^[ \t]+$/m.test(body)) return undefined
  const ends = value.length - body.length
  const lines = body.split('\n')
  if (ends === 0) return ['|-', ...lines]
  if (ends === 1) return ['|', ...lines]
  return ['|+', ...lines, ...Array.from({ length: ends - 1 }, () => '')]
}

/** Not a regular expression: one that searches from every line break takes minutes for a megabyte of them. */
function withoutFinalBreaks(value: string): string {
  let end = value.length
  while (value[end - 1] === '\n') end -= 1
  return value.slice(0, end)
}

/** A string as YAML in the style of an existing scalar, on one line. */
export function quotedText(value: string, style: 'single' | 'double'): string {
  const fits = style === 'single' && !unprintable.test(value) && !/[\n\t]/.test(value)
  return fits && value.isWellFormed() ? `'${value.replaceAll("'", "''")}'` : quoted(value)
}

/** A string as YAML within braces or brackets, where more characters have a meaning. */
export function flowScalarText(value: string): string {
  return isPlain(value) && /^[A-Za-z0-9_./ -]+$/.test(value) ? value : quoted(value)
}

function isPlain(value: string): boolean {
  return plain.test(value) && !words.test(value) && !/:( |$)/.test(value) && !value.endsWith(' ')
}

/**
 * Starts with a letter or a slash, so it is not a number, date, sign or indicator, and contains nothing that ends a
 * plain scalar.
 */
const plain = /^[A-Za-z/][A-Za-z0-9 _./@%+=()$;:,-]*$/

/** Booleans and nulls of YAML 1.1 and 1.2, and text that some readers take for a number in exponent notation. */
const words = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|e[+-]?[0-9_]+)$/i

/** Everything but printable characters, tab and line feed; includes the line breaks that only YAML 1.1 recognizes. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/

const escaped = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

function quoted(value: string): string {
  return JSON.stringify(value).replace(
    escaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
