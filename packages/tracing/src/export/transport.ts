import type { Resource } from '../otlp/resource.ts'
import type { SpanRecord } from '../span.ts'

/** The outcome of sending a batch. */
export type Sent =
  | { readonly kind: 'taken'; readonly rejected: number; readonly because: string }
  /** A retry may succeed. */
  | { readonly kind: 'later'; readonly because: string; readonly afterMs?: number }
  /** A retry would fail too. */
  | { readonly kind: 'refused'; readonly because: string }

/**
 * Sends spans over one protocol. Throws only if a span cannot be encoded; failures of the collector are outcomes.
 */
export interface Transport {
  /** For people; contains no secrets. */
  readonly address: string
  send(resource: Resource, spans: readonly SpanRecord[], signal: AbortSignal): Promise<Sent>
  close(): void
}

export interface TransportOptions {
  readonly endpoint: URL
  /** Sent with each batch. Secret. */
  readonly headers: Readonly<Record<string, string>>
}

/** Scheme, host, port and path: a URL may carry a password. */
export function addressOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

/** Longer responses are not read. */
export const largestAnswer = 64 * 1024

/** Only the code of a connection error is used; its message may contain anything. */
export function describeError(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'unknown')
}
