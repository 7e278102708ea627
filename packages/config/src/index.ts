export { ConfigError } from './config-error.ts'
export { describeConfig } from './describe-config.ts'
export { duration } from './duration.ts'
export { findUnknown } from './find-unknown.ts'
export { type ConfigRule, parseConfig } from './parse-config.ts'
export { parseDuration } from './parse-duration.ts'
export { renderConfigMarkdown } from './render-config-markdown.ts'
export { flag, number, oneOf, port, retired, text, url } from './scalars.ts'
export {
  type ConfigOf,
  type Declaration,
  type Environment,
  listSettings,
  type NamedSetting,
} from './setting.ts'
export {
  anyObject,
  anyText,
  json,
  list,
  listOf,
  mapOf,
  type Reader,
  wholeNumber,
} from './structured.ts'
