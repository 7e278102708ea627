/** Formats a time like `metav1.Time`: RFC 3339 in whole seconds. Times beyond the year 9999 become its end. */
export function secondsTimestamp(time: Date): string {
  const milliseconds = time.getTime()
  const isWritable = milliseconds <= latest && milliseconds >= -latest
  return `${(isWritable ? time : new Date(latest)).toISOString().slice(0, 19)}Z`
}

const latest = Date.UTC(9999, 11, 31, 23, 59, 59)
