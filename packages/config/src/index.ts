export { ConfigError, type ConfigProblem } from './config-error.ts'
export { describeConfig } from './describe-config.ts'
export { type DurationOptions, duration } from './duration.ts'
export { findUnknown, type UnknownVariable } from './find-unknown.ts'
export { type ConfigRule, parseConfig } from './parse-config.ts'
export { renderConfigMarkdown } from './render-config-markdown.ts'
export {
  type ChoiceOptions,
  flag,
  type NumberOptions,
  number,
  oneOf,
  port,
  retired,
  text,
  type UrlOptions,
  url,
} from './scalars.ts'
export {
  type ConfigOf,
  type Declaration,
  type Environment,
  listSettings,
  type NamedSetting,
  type Parsed,
  type Presence,
  type Setting,
  type SettingOptions,
  type Shown,
} from './setting.ts'
export {
  anyObject,
  anyText,
  type JsonObject,
  json,
  type ListOptions,
  list,
  listOf,
  mapOf,
  type Reader,
  wholeNumber,
} from './structured.ts'
