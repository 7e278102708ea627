const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/**
 * Formats a duration like kubectl: `118s`, `5m`, `3m7s`, `7h5m`, `3d4h`, `2y10d`.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / secondMs)
  // Tolerates clock skew of less than two seconds.
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(milliseconds / minuteMs)
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(milliseconds / hourMs)
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h')
  if (days < 2 * 365) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}
