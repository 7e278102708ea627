import type { Resource } from '../otlp/resource.ts'
import type { SpanRecord } from '../span.ts'

/** What became of a batch. */
export type Sent =
  | { readonly kind: 'taken'; readonly rejected: number; readonly because: string }
  /** It may go better later. */
  | { readonly kind: 'later'; readonly because: string; readonly afterMs?: number }
  /** Sending it again is of no use. */
  | { readonly kind: 'refused'; readonly because: string }

/** One way to send spans. Throws only where a span cannot be written down; whatever the collector does is an outcome. */
export interface Transport {
  /** For people; without anything secret. */
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

/** More than this is no answer of a collector. */
export const LARGEST_ANSWER = 64 * 1024

/** The code of a broken connection says enough; its message may hold anything. */
export function troubleOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return typeof code === 'string' ? code : String(name ?? 'unknown')
}
