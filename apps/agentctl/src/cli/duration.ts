import { parseDuration as parseUnits } from '@agents/config'
import { usageFailure } from './command-failure.ts'

/** Reads the value of a flag such as `90`, `90s` or `1m30s` into milliseconds; a bare number is in seconds. */
export function parseDuration(flag: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const milliseconds = /^(\d+(ms|s|m|h))+$/.test(text) ? parseUnits(text) : undefined
  if (milliseconds !== undefined) return milliseconds
  throw usageFailure(`${flag} must be a time such as 30s, 5m or 1h30m, not ${JSON.stringify(text)}`)
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
