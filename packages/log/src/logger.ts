import { formatJson, formatPretty, type LogRecord } from './format.ts'
import { isAtLeast, type LogLevel } from './level.ts'
import { redact } from './redaction/redact.ts'
import { type LogValue, redactValue } from './redaction/redact-value.ts'

type LogFields = Readonly<Record<string, unknown>>

/** Logs constant messages with fields: `log.info('run admitted', { namespace, name })`. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Returns a logger that adds the current values of these fields to every line. */
  with(fields: LogFields): Logger
}

/** The destination of lines, such as `process.stdout`. */
export interface LogSink {
  write(line: string): unknown
  on?(event: 'error', listener: (error: Error) => void): unknown
  listeners?(event: 'error'): readonly unknown[]
}

export interface LoggerOptions {
  readonly sink: LogSink
  /** Default `info`. */
  readonly level?: LogLevel
  /** Default `json`. */
  readonly format?: LogFormat
  /** Colours in the pretty format. Default false. */
  readonly color?: boolean
  readonly clock?: () => Date
  /**
   * Called for each line to add fields such as the trace id. Must not return secrets; the line's own fields take
   * precedence.
   */
  readonly context?: () => Readonly<Record<string, string>>
}

export type LogFormat = 'json' | 'pretty'

/** A logger that redacts secrets in everything that it passes to the sink. Never throws. */
export function createLogger(options: LoggerOptions): Logger {
  const { sink, level = 'info', format = 'json', color = false } = options
  const clock = options.clock ?? (() => new Date())
  surviveBrokenSink(sink)
  const write = (record: LogRecord) =>
    sink.write(format === 'json' ? formatJson(record) : formatPretty(record, color))
  const { context } = options
  return bind({ level, clock, write, ...(context && { context }) }, {})
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silentLogger,
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
      // The sink is closed, so the failure cannot be reported.
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

/** The type is string, but a caller in a catch block may pass the caught value. */
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

/** A closed pipe causes an 'error' event, which would end the process without a listener. */
function surviveBrokenSink(sink: LogSink): void {
  if (sink.listeners?.('error').includes(ignoreError) === true) return
  sink.on?.('error', ignoreError)
}

function ignoreError(): void {
  // The listener only prevents the crash: the next write fails the same way, and is dropped.
}
