import { usageFailure } from './command-failure.ts'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `90`, `90s`, `1m30s`, in milliseconds; a bare number is seconds. */
export function parseDuration(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^(\d+(ms|s|m|h))+$/.test(text)) {
    throw usageFailure(
      `${flag} must be a time such as 30s, 5m or 1h30m, not ${JSON.stringify(text)}`,
    )
  }
  let total = 0
  for (const [, count, unit = ''] of text.matchAll(/(\d+)(ms|s|m|h)/g)) {
    total += Number(count) * (units[unit] ?? 0)
  }
  return total
}

/** As kubectl writes ages: `45s`, `3m20s`, `5h`, `12d`. */
export function shortDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`
}
