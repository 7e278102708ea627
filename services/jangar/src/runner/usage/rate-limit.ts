import type { OutputReading } from './output-reading.ts'

/** An error of a program, with what its text says about a rate limit. */
export function errorReading(error: string): OutputReading {
  const start = error.slice(0, longestRead)
  if (!words.some((pattern) => pattern.test(start))) return { error }
  return { error, isRateLimited: true, ...retryAfterIn(start) }
}

/** The text may contain anything, also a whole page of a proxy. */
const longestRead = 4096

const words = [
  /\bHTTP 429\b/i,
  /\bstatus(?: code)?:? 429\b/i,
  /\b429 too many requests\b/i,
  /"?\bcode"?: ?429\b/,
  /\brejected \(429\)/,
  /^API Error: 429\b/,
  /\brate_limit_(?:error|exceeded)\b/,
  /\bRESOURCE_EXHAUSTED\b/,
  /^litellm\.RateLimitError:/,
  /^rate limit (?:reached|exceeded)\b/i,
  // What gemini-cli adds to the words of the service.
  /\bPlease wait and try again later\. To increase your limits\b/,
]

const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** `try again in 1.5s`, `retry in 34.07s`, `"retryDelay": "34s"`, `retry-after: 30` */
function retryAfterIn(text: string): Pick<OutputReading, 'retryAfterSeconds'> {
  const waits = [
    /\b(?:try again|retry) in (\d{1,9}(?:\.\d{1,9})?) ?(ms|s|m|h)/i,
    /\bretryDelay"?: ?"(\d{1,9}(?:\.\d{1,9})?)(s)"/,
    /\bretry-after"?: ?"?(\d{1,9})()/i,
  ]
  for (const pattern of waits) {
    const [, amount, unit = ''] = pattern.exec(text) ?? []
    if (amount !== undefined)
      return secondsOf(Number(amount) * (unitSeconds[unit.toLowerCase()] ?? 1))
  }
  return {}
}

/** Whole seconds, never fewer than were asked for. */
export function secondsOf(seconds: unknown): Pick<OutputReading, 'retryAfterSeconds'> {
  const isTime = typeof seconds === 'number' && seconds >= 0 && seconds <= longestWait
  return isTime ? { retryAfterSeconds: Math.ceil(seconds) } : {}
}

/** Far above what the platform waits for. */
const longestWait = 1_000_000_000
