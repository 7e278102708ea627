export { chooseFormat, type Terminal } from './choose-format.ts'
export { LOG_LEVELS, type LogLevel } from './level.ts'
export {
  createLogger,
  type LogFields,
  type LogFormat,
  type Logger,
  type LoggerOptions,
  type LogSink,
} from './logger.ts'
export { redact } from './redaction/redact.ts'
export { type LogValue, redactValue } from './redaction/redact-value.ts'
