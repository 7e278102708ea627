import { parse } from 'yaml'

export type Values = Readonly<Record<string, unknown>>

/**
 * Parses a values file like Helm: `on`, `yes` and `017` as in YAML 1.1, times and dates as text, an empty file as no
 * values.
 */
export function readValues(text: string): Values {
  const values: unknown = parse(text, {
    version: '1.1',
    merge: true,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !otherwiseInHelm.has(tagOf(tag))),
  })
  if (values === null || values === undefined) return {}
  if (!isMap(values)) throw new Error('the file is not a map of values')
  return values
}

const otherwiseInHelm: ReadonlySet<string> = new Set(['TIME', 'timestamp', 'binary', 'set', 'omap'])

function tagOf({ tag, format }: { readonly tag: string; readonly format?: string }): string {
  return format === 'TIME' ? format : tag.replace('tag:yaml.org,2002:', '')
}

/** Merges values like several `--values` of Helm: maps are merged, everything else is replaced. */
export function mergeValues(below: Values, above: Values): Values {
  const merged: Record<string, unknown> = { ...below }
  for (const [key, value] of Object.entries(above)) {
    const under = merged[key]
    merged[key] = isMap(under) && isMap(value) ? mergeValues(under, value) : value
  }
  return merged
}

/** The values that the chart receives: null removes a default, and remains if there is none. */
export function withDefaults(values: Values, defaults: Values): Values {
  const seen: Record<string, unknown> = { ...values }
  for (const [key, fallback] of Object.entries(defaults)) {
    const value = seen[key]
    if (!Object.hasOwn(seen, key)) {
      // Helm 3 keeps a default of null, Helm 4 drops it; the schema treats both the same.
      if (fallback !== null) seen[key] = fallback
    } else if (value === null) delete seen[key]
    else if (isMap(value) && isMap(fallback)) seen[key] = withDefaults(value, fallback)
  }
  return seen
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
