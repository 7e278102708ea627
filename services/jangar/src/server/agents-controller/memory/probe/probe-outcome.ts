/** The result of probing a store. Messages contain nothing of the connection string. */
export type ProbeOutcome =
  | { readonly kind: 'reachable' }
  | { readonly kind: 'unreachable'; readonly message: string }
  /** The store responds but rejects the credentials. Retried, since either may be corrected. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The connection string is invalid, so that retrying would not help. */
  | { readonly kind: 'invalid'; readonly message: string }

/** Probes a store once. Ends by itself, and throws only if the signal is aborted. */
export type Probe = (connection: string, signal: AbortSignal) => Promise<ProbeOutcome>

/** Time limit for connecting to a store and its response. */
export const longestProbeMs = 5000

/** The error code of the system or the store, if its format rules out that it contains a secret. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[A-Z0-9_]{2,40}$/.test(code) ? code : 'no connection'
}
