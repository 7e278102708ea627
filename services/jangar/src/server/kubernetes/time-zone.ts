/** The difference between local time and UTC in a time zone. */
export interface TimeZone {
  /** Milliseconds to add to UTC at this instant. */
  offsetAt(instant: number): number
}

/** Undefined if the name is unknown. Offsets such as +01:00 are refused, because they have no daylight saving time. */
export function timeZoneOf(name: string): TimeZone | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
      year: 'numeric',
    })
    return { offsetAt: (instant) => offsetIn(format.format(instant)) }
  } catch {
    return undefined
  }
}

/** `2026 GMT+10:30`; `GMT` alone is UTC. */
function offsetIn(text: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?/.exec(text) ?? []
  const all = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (sign === '-' ? -all : all) * 1000
}
