import type { ProbeOutcome } from './probe-outcome.ts'

export interface Probed {
  readonly outcome: ProbeOutcome
  readonly at: Date
  /** Milliseconds until the next look is due. */
  readonly dueInMs: number
}

interface Entry {
  readonly subject: string
  readonly outcome: ProbeOutcome
  readonly at: Date
  readonly dueAtMs: number
  readonly failures: number
}

/** How often a store that answers is looked at. */
export const probeEveryMs = 300_000
const firstRetryMs = 5000

/**
 * Remembers what looks at stores found, so that waking up for another reason asks nobody. A store that does not answer is asked
 * again soon at first, then as seldom as the others.
 */
export class ProbeSchedule {
  readonly #entries = new Map<string, Entry>()
  readonly #elapsed: () => number

  /** `elapsed` is a clock that never jumps, in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Looks, unless it is known well enough. Another `subject` is another store to look at. */
  async probe(
    key: string,
    subject: string,
    now: Date,
    look: () => Promise<ProbeOutcome>,
  ): Promise<Probed> {
    const known = this.#entries.get(key)
    const same = known?.subject === subject ? known : undefined
    if (same && this.#elapsed() < same.dueAtMs) return this.#told(same)
    const outcome = await look()
    const failures = outcome.kind === 'reachable' ? 0 : (same?.failures ?? 0) + 1
    const pauseMs =
      failures === 0 ? probeEveryMs : Math.min(probeEveryMs, firstRetryMs * 2 ** (failures - 1))
    const entry = { subject, outcome, at: now, dueAtMs: this.#elapsed() + pauseMs, failures }
    this.#entries.set(key, entry)
    return this.#told(entry)
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  #told({ outcome, at, dueAtMs }: Entry): Probed {
    return { outcome, at, dueInMs: Math.max(0, dueAtMs - this.#elapsed()) }
  }
}
