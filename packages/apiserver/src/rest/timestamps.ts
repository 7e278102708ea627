/** RFC 3339 in whole seconds, as `metav1.Time` is written. */
export function secondsTimestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
