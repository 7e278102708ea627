import { createHash } from 'node:crypto'

export type Outcome = 'allowed' | 'denied' | 'failed'

/** Who did what, and how it ended. It has neither secrets nor what was asked of an agent. */
export interface Act {
  /** With milliseconds, as `Date.toISOString` writes it. */
  readonly at: string
  readonly actor: string
  /** The operation of the API, as its description names it. */
  readonly action: string
  readonly namespace: string | null
  readonly name: string | null
  readonly outcome: Outcome
  /** The status of the answer. */
  readonly code: number
  /** The `x-request-id` of the answer. */
  readonly request: string
}

export interface AuditEntry extends Act {
  /** 1 for the first, without gaps. */
  readonly seq: number
  readonly hash: string
}

/** Where the log ends. */
export interface AuditHead {
  readonly seq: number
  readonly hash: string
}

export const emptyHead: AuditHead = { seq: 0, hash: '' }

/** The entry after the head. */
export function chained(head: AuditHead, act: Act): AuditEntry {
  const seq = head.seq + 1
  return { ...act, seq, hash: hashOf(head.hash, seq, act) }
}

/** Over the entry and the hash of the one before, so that none can be changed, removed or moved alone. */
function hashOf(before: string, seq: number, act: Act): string {
  const { at, actor, action, namespace, name, outcome, code, request } = act
  const content = [before, seq, at, actor, action, namespace, name, outcome, code, request]
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
