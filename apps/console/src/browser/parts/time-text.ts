const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** `4s`, `3m 20s`, `2h 5m`, `3d 4h` */
export function durationText(milliseconds: number): string {
  const ms = Math.max(0, milliseconds)
  if (ms < minute) return `${Math.floor(ms / second)}s`
  if (ms < hour) return `${Math.floor(ms / minute)}m ${Math.floor((ms % minute) / second)}s`
  if (ms < day) return `${Math.floor(ms / hour)}h ${Math.floor((ms % hour) / minute)}m`
  return `${Math.floor(ms / day)}d ${Math.floor((ms % day) / hour)}h`
}

/** `now`, `12s ago`, `3m ago`, `5h ago`, `2d ago`: one unit, since it is read in lists. */
export function agoText(milliseconds: number): string {
  const ms = Math.max(0, milliseconds)
  if (ms < 2 * second) return 'now'
  if (ms < minute) return `${Math.floor(ms / second)}s ago`
  if (ms < hour) return `${Math.floor(ms / minute)}m ago`
  if (ms < day) return `${Math.floor(ms / hour)}h ago`
  return `${Math.floor(ms / day)}d ago`
}

/** In the reader's zone, with its name. */
export function exactText(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' })
}
