import { humanDuration } from './human-duration.ts'

/** Time since a timestamp of the API; `<unknown>` if it is not set. */
export function age(timestamp: string | null | undefined, now: Date): string {
  if (isUnset(timestamp)) return '<unknown>'
  return humanDuration(now.getTime() - Date.parse(timestamp))
}

/** Time between two timestamps of the API. */
export function timeBetween(from: string, to: string): string {
  return humanDuration(Date.parse(to) - Date.parse(from))
}

export function isUnset(timestamp: string | null | undefined): timestamp is null | undefined | '' {
  return timestamp === undefined || timestamp === null || timestamp === ''
}
