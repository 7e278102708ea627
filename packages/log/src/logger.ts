import { formatJson, formatPretty, type LogRecord } from './format.ts'
import { isAtLeast, type LogLevel } from './level.ts'
import { redact } from './redaction/redact.ts'
import { type LogValue, redactValue } from './redaction/redact-value.ts'

export type LogFields = Readonly<Record<string, unknown>>

/** A constant message and fields: `log.info('run admitted', { namespace, name })`. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds these fields, as they are now, to every line. */
  with(fields: LogFields): Logger
}

/** Where lines go; `process.stdout` is one. */
export interface LogSink {
  write(line: string): unknown
  on?(event: 'error', listener: (error: Error) => void): unknown
  listeners?(event: 'error'): readonly unknown[]
}

export interface LoggerOptions {
  readonly sink: LogSink
  /** `info` unless said. */
  readonly level?: LogLevel
  /** `json` unless said. */
  readonly format?: LogFormat
  /** Colours in the pretty format; off unless said. */
  readonly color?: boolean
  readonly clock?: () => Date
  /** Asked for each line: what is true of the work that writes it, such as its trace. Nothing secret; a line's own fields outrank it. */
  readonly context?: () => Readonly<Record<string, string>>
}

export type LogFormat = 'json' | 'pretty'

/** Lines without secrets: redaction happens here, in front of the sink, whatever the caller passes. Never throws. */
export function createLogger(options: LoggerOptions): Logger {
  const { sink, level = 'info', format = 'json', color = false } = options
  const clock = options.clock ?? (() => new Date())
  surviveBrokenSink(sink)
  const write = (record: LogRecord) =>
    sink.write(format === 'json' ? formatJson(record) : formatPretty(record, color))
  const { context } = options
  return bind({ level, clock, write, ...(context && { context }) }, {})
}

interface Output {
  readonly level: LogLevel
  readonly clock: () => Date
  readonly write: (record: LogRecord) => unknown
  readonly context?: () => RedactedFields
}

type RedactedFields = Readonly<Record<string, LogValue>>

function bind(output: Output, bound: RedactedFields): Logger {
  const log = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (!isAtLeast(level, output.level)) return
    try {
      output.write({
        time: output.clock(),
        level,
        message: redactMessage(message),
        fields: fieldsOf(output, bound, fields),
      })
    } catch {
      // Nobody is left to tell: the reader of the log has gone.
    }
  }
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    with: (fields) => bind(output, { ...bound, ...redactFields(fields) }),
  }
}

function fieldsOf(
  { context }: Output,
  bound: RedactedFields,
  fields: LogFields | undefined,
): RedactedFields {
  if (context === undefined && fields === undefined) return bound
  return { ...bound, ...context?.(), ...(fields && redactFields(fields)) }
}

/** The types say string; a caller in a catch block may still pass what it caught. */
function redactMessage(message: unknown): string {
  return typeof message === 'string' ? redact(message) : JSON.stringify(redactValue(message))
}

function redactFields(fields: LogFields): RedactedFields {
  const redacted = redactValue(fields)
  return isRecord(redacted) ? redacted : { fields: redacted }
}

function isRecord(value: LogValue): value is RedactedFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A closed pipe arrives as an 'error' event, which would end the process if nobody listened. */
function surviveBrokenSink(sink: LogSink): void {
  if (sink.listeners?.('error').includes(ignoreError) === true) return
  sink.on?.('error', ignoreError)
}

function ignoreError(): void {
  // Listening is the whole purpose: the next write fails the same way, and is dropped.
}
