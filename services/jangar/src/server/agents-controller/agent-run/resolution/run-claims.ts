import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { AgentsCaches } from '../../agents-caches.ts'

/** What one run alone can have, and was given in this process: its status may show it only seconds later. */
export interface RunClaims {
  /**
   * Whether it is the run's: nobody else was given it here who has not ended. It is, from now on, until the run ends or lets go.
   * `value`: a branch or an idempotency key, as the indexes of runs have them, which are never alike.
   */
  claim(run: AgentRun, value: string): boolean
  /** The key of the run that it was given to. */
  ownerOf(value: string): string | undefined
  /** The run lets go of all that it was given. */
  release(run: AgentRun): void
}

export function runClaims(runs: Pick<AgentsCaches['agentRuns'], 'subscribe'>): RunClaims {
  const owners = new Map<string, string>()
  /** A run may have several: a key, and branches where its steps work in several repositories. */
  const given = new Map<string, readonly string[]>()
  const release = (key: string): void => {
    for (const value of given.get(key) ?? []) owners.delete(value)
    given.delete(key)
  }
  runs.subscribe({
    onAdd: () => undefined,
    onUpdate: (_before, { metadata, status }) => {
      if (isFinished(status?.conditions)) release(formatKey(metadata))
    },
    onDelete: ({ metadata }) => release(formatKey(metadata)),
  })
  return {
    claim: ({ metadata }, value) => {
      const key = formatKey(metadata)
      const owner = owners.get(value)
      if (owner !== undefined) return owner === key
      owners.set(value, key)
      given.set(key, [...(given.get(key) ?? []), value])
      return true
    },
    ownerOf: (value) => owners.get(value),
    release: ({ metadata }) => release(formatKey(metadata)),
  }
}
