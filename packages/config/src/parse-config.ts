import { ConfigError, type ConfigProblem } from './config-error.ts'
import {
  type ConfigOf,
  type Declaration,
  type Environment,
  isSetting,
  listSettings,
  type Setting,
} from './setting.ts'

/** A condition on several settings together. */
export interface ConfigRule<Config> {
  /** The variables concerned. The rule is evaluated only if each of them is valid by itself. */
  readonly about: readonly [string, ...string[]]
  readonly expected: string
  readonly fix: string
  holds(config: Config): boolean
}

/**
 * Parses the environment into a configuration. Throws one ConfigError with all problems. White space around a value is
 * ignored, and an empty variable counts as not set, because an unset Helm value renders to an empty string.
 */
export function parseConfig<const D extends Declaration>(
  declaration: D,
  env: Environment,
  rules: readonly ConfigRule<ConfigOf<D>>[] = [],
): ConfigOf<D> {
  const problems: ConfigProblem[] = []
  const config = parseGroup(declaration, env, problems) as ConfigOf<D>
  const failed = new Set(problems.map((problem) => problem.env))
  for (const rule of rules) {
    if (rule.about.some((name) => failed.has(name)) || rule.holds(config)) continue
    problems.push(describeBrokenRule(rule, declaration, env))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function parseGroup(
  declaration: Declaration,
  env: Environment,
  problems: ConfigProblem[],
): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(declaration)) {
    config[name] = isSetting(entry)
      ? parseSetting(entry, env, problems)
      : parseGroup(entry, env, problems)
  }
  return config
}

function parseSetting(
  setting: Setting<unknown>,
  env: Environment,
  problems: ConfigProblem[],
): unknown {
  const raw = env[setting.env]?.trim() ?? ''
  if (raw === '') {
    if (setting.presence.kind === 'defaulted') return setting.presence.fallback
    if (setting.presence.kind === 'required') problems.push(describeProblem(setting, undefined))
    return undefined
  }
  const parsed = setting.parse(raw)
  if (parsed.ok) return parsed.value
  problems.push(describeProblem(setting, raw, parsed.detail))
  return undefined
}

function describeProblem(
  setting: Setting<unknown>,
  raw: string | undefined,
  detail?: string,
): ConfigProblem {
  // The detail is omitted for secrets, because it may quote the value.
  const displayedDetail = detail === undefined || setting.secret ? '' : ` (${detail})`
  return {
    env: setting.env,
    ...(raw !== undefined && { value: showRaw(setting, raw) }),
    expected: `${setting.expected}${displayedDetail}`,
    fix: setting.fix ?? adviceFor(setting, raw !== undefined),
  }
}

const maxDisplayedLength = 80

function showRaw(setting: Setting<unknown>, raw: string): string {
  if (setting.secret) return 'set to an invalid value (not shown because it is a secret)'
  const displayed = hideCredentials(raw)
  const rest = `… (${raw.length} characters)`
  return JSON.stringify(
    displayed.length <= maxDisplayedLength
      ? displayed
      : `${displayed.slice(0, maxDisplayedLength)}${rest}`,
  )
}

/** Masks credentials of a URL in any setting. A password may contain any character, including `/` and `@`. */
function hideCredentials(raw: string): string {
  const start = raw.indexOf('//') + 2
  const at = raw.lastIndexOf('@')
  return start >= 2 && at >= start ? `${raw.slice(0, start)}***${raw.slice(at)}` : raw
}

function adviceFor({ chart, presence }: Setting<unknown>, isSet: boolean): string {
  const where = chart === undefined ? '' : ` (in the chart: ${chart})`
  if (!isSet) return `Set it${where}.`
  if (presence.kind === 'required') return `Correct it${where}.`
  const without = presence.kind === 'defaulted' ? 'remove it to use the default' : 'remove it'
  return `Correct it${where}, or ${without}.`
}

function describeBrokenRule(
  rule: { readonly about: readonly [string, ...string[]]; expected: string; fix: string },
  declaration: Declaration,
  env: Environment,
): ConfigProblem {
  const [first] = rule.about
  const setting = listSettings(declaration).find((entry) => entry.setting.env === first)?.setting
  const raw = env[first]?.trim() ?? ''
  const isDisplayed = setting !== undefined && raw !== ''
  return {
    env: first,
    ...(isDisplayed && { value: showRaw(setting, raw) }),
    expected: rule.expected,
    fix: rule.fix,
  }
}
