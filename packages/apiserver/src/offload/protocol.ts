import type { AuthorizationMode } from '../auth/authorization-mode.ts'
import type { KeyMaterial } from '../auth/pki/key-material.ts'
import type { ThreadRequest, ThreadResponse } from '../endpoints/request-thread.ts'
import type { UserInfo } from '../request/user-info.ts'

/** Settings with which the request thread answers exactly as the main thread would. */
export interface ThreadSettings {
  readonly keys: KeyMaterial
  readonly authorizationMode: AuthorizationMode
  readonly staticTokens: ReadonlyMap<string, UserInfo>
  readonly disabledAdmission: readonly string[]
  readonly hosts: readonly string[]
}

export interface ThreadData {
  readonly settings: ThreadSettings
  /** One 32-bit integer: 1 once the answer to a read has been posted to `replies`. */
  readonly signal: SharedArrayBuffer
}

export interface WireEntry {
  readonly key: string
  readonly revision: number
  readonly json: Uint8Array
}

export interface WireEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly entry: WireEntry
  readonly previous?: WireEntry
  readonly revision: number
}

/** The events up to and including a revision. */
export interface WireEvents {
  readonly events: readonly WireEvent[]
  readonly revision: number
}

/** The object's JSON with a gap of `gapLength` bytes at `gap` for its revision. */
export interface WireDecision {
  readonly deletes: boolean
  readonly json: Uint8Array
  readonly gap: number
  readonly gapLength: number
}

/** Synchronous reads of the store: the request thread blocks until they are answered. */
export type Read =
  | { readonly read: 'get' | 'newest'; readonly key: string }
  | {
      readonly read: 'list'
      readonly prefix: string
      readonly revision: number | undefined
      readonly after: string | undefined
      readonly limit: number | undefined
    }
  | { readonly read: 'revisions' }
  | { readonly read: 'events'; readonly prefix: string; readonly from: number }

export interface StoreFault {
  readonly name: string
  readonly message: string
}

export type FromThread =
  | { readonly type: 'ready' }
  | { readonly type: 'read'; readonly read: Read }
  | {
      readonly type: 'write'
      readonly id: number
      readonly key: string
      /** Revision of the entry that the decision is based on; undefined if the entry did not exist. */
      readonly basis: number | undefined
      readonly decision: WireDecision
    }
  | { readonly type: 'response'; readonly response: ThreadResponse }

export type WriteOutcome = { readonly event: WireEvent } | 'stale' | { readonly fault: StoreFault }

export type ToThread =
  | { readonly type: 'replies'; readonly port: MessagePort }
  | { readonly type: 'request'; readonly request: ThreadRequest }
  | { readonly type: 'written'; readonly id: number; readonly outcome: WriteOutcome }

type MessagePort = import('node:worker_threads').MessagePort
