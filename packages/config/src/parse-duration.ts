/** Milliseconds in each unit, from the largest to the smallest. */
export const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

export type DurationUnit = keyof typeof unitsMs

/** Parses a duration such as `1h30m`, `1.5s` or `500ms` into milliseconds; undefined if the text is not one. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) return undefined
  let total = 0
  for (const [, count, unit] of text.matchAll(/([\d.]+)(ms|[dhms])/g)) {
    total += Number(count) * unitsMs[unit as DurationUnit]
  }
  return total
}
