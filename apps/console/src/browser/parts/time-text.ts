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

/** `now`, `12s ago`, `3m ago`, `5h ago`, `2d ago`, `in 5h`: one unit, since it is read in lists. */
export function agoText(milliseconds: number): string {
  // Clocks differ by less.
  if (milliseconds < -minute) return `in ${agoText(-milliseconds).replace(' ago', '')}`
  const ms = Math.max(0, milliseconds)
  if (ms < 2 * second) return 'now'
  if (ms < minute) return `${Math.floor(ms / second)}s ago`
  if (ms < hour) return `${Math.floor(ms / minute)}m ago`
  if (ms < day) return `${Math.floor(ms / hour)}h ago`
  return `${Math.floor(ms / day)}d ago`
}

/** Made once: that takes longer than all the rest of a row in a list. */
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** In the reader's zone, with its name. */
export function exactText(at: number): string {
  return exact.format(at)
}
