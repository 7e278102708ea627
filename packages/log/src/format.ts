import { styleText } from 'node:util'
import type { LogLevel } from './level.ts'
import type { LogValue } from './redaction/redact-value.ts'

/** The redacted content of one log line. */
export interface LogRecord {
  readonly time: Date
  readonly level: LogLevel
  readonly message: string
  readonly fields: Readonly<Record<string, LogValue>>
}

/** One JSON object and a newline. A field that would hide `time`, `level` or `message` gets a `_` after its name. */
export function formatJson({ time, level, message, fields }: LogRecord): string {
  const head = { time: formatTime(time), level, message }
  const rest = Object.entries(fields).map(
    ([name, value]) => [Object.hasOwn(head, name) ? `${name}_` : name, value] as const,
  )
  return `${JSON.stringify(Object.fromEntries([...Object.entries(head), ...rest]))}\n`
}

function formatTime(time: Date): string {
  return Number.isNaN(time.getTime()) ? 'unknown' : time.toISOString()
}

/** For a person at a terminal: time, level, message, fields on one line, errors below it. */
export function formatPretty({ time, level, message, fields }: LogRecord, color: boolean): string {
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text
  const inline: string[] = []
  const below: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (isErrorRecord(value)) below.push(...describe(value, `${printable(name)}: `, '  '))
    else inline.push(`${paint('dim', `${printable(name)}=`)}${formatValue(value)}`)
  }
  const head = [
    paint('dim', formatTime(time).slice(11, 23)),
    paint(levelStyle[level], level.toUpperCase().padEnd(5)),
    printable(message),
    ...inline,
  ].join(' ')
  return `${[head, ...below].join('\n')}\n`
}

type Style = 'dim' | 'cyan' | 'green' | 'yellow' | 'red'

const levelStyle: Record<LogLevel, Style> = {
  debug: 'cyan',
  info: 'green',
  warn: 'yellow',
  error: 'red',
}

function formatValue(value: LogValue): string {
  return typeof value === 'string' && plainWord.test(value)
    ? value
    : printable(JSON.stringify(value))
}

const plainWord = /^[\w.,:/@+*-]+$/

// Control characters and direction marks in logged text must not control the reader's terminal.
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

interface ErrorRecord {
  readonly name: LogValue
  readonly message: LogValue
  readonly stack?: LogValue
  readonly cause?: LogValue
  readonly [extra: string]: LogValue | undefined
}

function isErrorRecord(value: LogValue | undefined): value is LogValue & ErrorRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'message' in value &&
    'name' in value &&
    ('stack' in value || 'cause' in value)
  )
}

function describe(error: ErrorRecord, label: string, indent: string): string[] {
  const { name, message, stack, cause, ...extras } = error
  const details = Object.entries(extras).map(
    ([key, value]) => ` ${printable(key)}=${formatValue(value ?? null)}`,
  )
  const head = `${indent}${label}${printable(`${name}: ${message}`)}${details.join('')}`
  const frames = typeof stack === 'string' ? stack.split('\n') : []
  const lines = [head, ...frames.map((frame) => `${indent}  ${printable(frame)}`)]
  if (cause === undefined) return lines
  return [
    ...lines,
    ...(isErrorRecord(cause)
      ? describe(cause, 'caused by ', `${indent}  `)
      : [`${indent}  caused by ${formatValue(cause)}`]),
  ]
}
