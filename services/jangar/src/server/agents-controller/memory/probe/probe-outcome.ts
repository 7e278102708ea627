/** What a look at a store found. No message holds anything of the connection string. */
export type ProbeOutcome =
  | { readonly kind: 'reachable' }
  | { readonly kind: 'unreachable'; readonly message: string }
  /** It answers, but not to these credentials; those, or the store, may be put right. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The connection string is none: looking again would find the same. */
  | { readonly kind: 'invalid'; readonly message: string }

/** Asks a store once whether it is there. Ends by itself soon, and throws only for the signal. */
export type Probe = (connection: string, signal: AbortSignal) => Promise<ProbeOutcome>

/** The longest that one look may take. */
export const longestProbeMs = 5000

/** The system's or the store's own word for what went wrong, where it is one that can hold no secret. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[A-Z0-9_]{2,40}$/.test(code) ? code : 'no connection'
}
