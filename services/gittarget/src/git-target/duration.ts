const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `5s`, `1m30s`, `500ms` in milliseconds; the schema lets nothing else in. */
export const durationMs = (text: string): number => {
  let total = 0
  for (const [, value = '', unit = ''] of text.matchAll(/([0-9.]+)(ms|s|m|h)/g)) {
    total += Number(value) * (UNITS_MS[unit] ?? 0)
  }
  return total
}
