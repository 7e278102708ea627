import type { ResourceCache } from '@agents/controller'
import { type Condition, formatKey, type KubeObject } from '@agents/kube'
import { isFinished } from '@agents/status'

/** A run of any kind. */
export type ClaimingRun = KubeObject & { readonly status?: { readonly conditions?: Condition[] } }

/** Exclusive claims of runs in this process, made before the cache shows them in the status of the runs. */
export interface RunClaims {
  /**
   * Claims a value for the run until it finishes, is deleted or releases its claims. Returns whether the run owns it:
   * false if another run does. `value` is a branch or an idempotency key in the format of the run indexes, which never
   * collide.
   */
  claim(run: ClaimingRun, value: string): boolean
  /** The key of the run that owns the value. */
  ownerOf(value: string): string | undefined
  hasClaims(run: ClaimingRun): boolean
  /** Releases all claims of the run. */
  release(run: ClaimingRun): void
}

export function runClaims<T extends ClaimingRun>(
  runs: Pick<ResourceCache<T>, 'subscribe'>,
): RunClaims {
  const owners = new Map<string, string>()
  /** A run may have several claims: an idempotency key, and a branch in each repository that its steps use. */
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
    hasClaims: ({ metadata }) => given.has(formatKey(metadata)),
    release: ({ metadata }) => release(formatKey(metadata)),
  }
}
