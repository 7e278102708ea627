/** RFC 3339 in whole seconds, as `metav1.Time` is written. What is too late to be written so is as late as can be. */
export function secondsTimestamp(time: Date): string {
  const milliseconds = time.getTime()
  const isWritable = milliseconds <= latest && milliseconds >= -latest
  return `${(isWritable ? time : new Date(latest)).toISOString().slice(0, 19)}Z`
}

const latest = Date.UTC(9999, 11, 31, 23, 59, 59)
