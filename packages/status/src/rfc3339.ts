/** Formats a time in whole seconds, as every Kubernetes client writes and expects `metav1.Time`. */
export function rfc3339(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}

/** The current time, or `earliest` if the clock was set back to before it: nothing ends before it starts. */
export function rfc3339NotBefore(now: Date, earliest: string | undefined): string {
  const at = rfc3339(now)
  return earliest !== undefined && Date.parse(earliest) > Date.parse(at) ? earliest : at
}
