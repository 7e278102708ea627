import type { Clock } from '@agents/controller'
import { sleep } from '@agents/controller'
import type { Act, Outcome } from '../audit/audit-entry.ts'

/** What is known of a request when it is answered. */
export interface NotedAct {
  readonly action: string
  /** Whether it may change something. */
  readonly isChange: boolean
  namespace?: string | undefined
  name?: string | undefined
}

interface NotePorts {
  readonly record: (act: Act) => Promise<void>
  readonly clock: Clock
}

export type NoteAct = (
  act: NotedAct,
  actor: string | undefined,
  code: number,
  request: string,
) => Promise<void>

/** The answer to a change waits so long for its entry; then the entry is stored later. */
const patienceMs = 2_000
/** Of callers without a valid token, in one second. They could fill the database. */
const mostStrangers = 20

/** Records acts. A change is answered when its entry is stored; the answers to others do not wait. */
export function actNoter({ record, clock }: NotePorts): NoteAct {
  let second = -1
  let strangers = 0
  return async ({ action, isChange, namespace, name }, actor, code, request) => {
    if (actor === undefined) {
      const now = Math.floor(clock.elapsed() / 1000)
      strangers = now === second ? strangers + 1 : 1
      second = now
      if (strangers > mostStrangers) return
    }
    const stored = record({
      ...{ at: clock.now().toISOString(), actor: actor ?? '', action, code, request },
      ...{ namespace: namespace ?? null, name: name ?? null, outcome: outcomeOf(code) },
    })
    if (!isChange) return
    const enough = new AbortController()
    await Promise.race([stored, sleep(clock, patienceMs, enough.signal)])
    enough.abort()
  }
}

function outcomeOf(code: number): Outcome {
  if (code === 401 || code === 403) return 'denied'
  return code < 400 ? 'allowed' : 'failed'
}
