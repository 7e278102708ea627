/** How long a step or suite took. */
export interface Duration {
  readonly name: string
  readonly seconds: number
}

/** The durations as lines for the end of the output, the longest first. */
export function durationLines(durations: readonly Duration[]): string[] {
  const sorted = durations.toSorted((a, b) => b.seconds - a.seconds)
  return ['durations:', ...sorted.map(durationLine)]
}

export function durationLine({ name, seconds }: Duration): string {
  return `${clock(seconds).padStart(8)}  ${name}`
}

/** Minutes and seconds. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
