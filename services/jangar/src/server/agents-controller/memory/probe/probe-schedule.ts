import type { ProbeOutcome } from './probe-outcome.ts'

export interface Probed {
  readonly outcome: ProbeOutcome
  readonly at: Date
  /** Milliseconds until the next probe is due. */
  readonly dueInMs: number
}

interface Entry {
  readonly subject: string
  readonly outcome: ProbeOutcome
  readonly at: Date
  readonly dueAtMs: number
  readonly failures: number
}

/** How often a reachable store is probed. */
export const probeEveryMs = 300_000
const firstRetryMs = 5000

/**
 * Remembers the results of probes, so that a reconcile for another reason does not probe again. Probes of a failing
 * store are retried with exponential backoff up to the regular interval.
 */
export class ProbeSchedule {
  readonly #entries = new Map<string, Entry>()
  readonly #elapsed: () => number

  /** `elapsed` is a monotonic clock in milliseconds. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /** Probes the store unless the last result is recent enough. A changed `subject` invalidates that result. */
  async probe(
    key: string,
    subject: string,
    now: Date,
    runProbe: () => Promise<ProbeOutcome>,
  ): Promise<Probed> {
    const known = this.#entries.get(key)
    const same = known?.subject === subject ? known : undefined
    if (same && this.#elapsed() < same.dueAtMs) return this.#reported(same)
    const outcome = await runProbe()
    const failures = outcome.kind === 'reachable' ? 0 : (same?.failures ?? 0) + 1
    const pauseMs =
      failures === 0 ? probeEveryMs : Math.min(probeEveryMs, firstRetryMs * 2 ** (failures - 1))
    const entry = { subject, outcome, at: now, dueAtMs: this.#elapsed() + pauseMs, failures }
    this.#entries.set(key, entry)
    return this.#reported(entry)
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }

  #reported({ outcome, at, dueAtMs }: Entry): Probed {
    return { outcome, at, dueInMs: Math.max(0, dueAtMs - this.#elapsed()) }
  }
}
