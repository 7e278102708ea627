import { type ConfigOf, type Declaration, type DisplayValue, listSettings } from './setting.ts'

/** The effective value of every variable, for the log at startup. Secrets are shown as `set` or `not set`. */
export function describeConfig<const D extends Declaration>(
  declaration: D,
  config: ConfigOf<D>,
): Readonly<Record<string, DisplayValue>> {
  return Object.fromEntries(
    listSettings(declaration).map(({ path, setting }) => {
      const value = valueAt(config, path)
      if (value === undefined) return [setting.env, 'not set']
      return [setting.env, setting.secret ? 'set' : setting.show(value)]
    }),
  )
}

function valueAt(config: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined,
    config,
  )
}
