import type { ResourceCache } from '@agents/controller'
import { formatKey, type KubeObject } from '@agents/kube'
import { type KeyCaches, type KeyReference, missingKey } from './missing-key.ts'

/** What a run refers to does not exist or is not ready. The run waits for it. */
export interface DependencyProblem {
  readonly kind: 'waiting'
  readonly reason: 'DependencyMissing' | 'DependencyNotReady'
  readonly message: string
}

interface Conditioned extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; message: string }[]
  }
}

/** Looks up an object in the run's namespace. `whose` names the referrer in the message. */
export function findNamed<T extends KubeObject>(
  cache: ResourceCache<T>,
  key: { readonly namespace: string | undefined; readonly name: string },
  whose: string,
): { readonly kind: 'found'; readonly value: T } | DependencyProblem {
  const object = cache.get(formatKey(key))
  if (object !== undefined) return { kind: 'found', value: object }
  return waiting(
    'DependencyMissing',
    `${cache.kind.kind} ${key.name}, which ${whose} refers to, does not exist; the run continues when it is created`,
  )
}

/** The Ready condition counts even if it was observed for an older generation, so that an edit does not block runs. */
export function notReady(kind: string, object: Conditioned): DependencyProblem | undefined {
  const ready = readyOf(object)
  if (ready?.status === 'True') return undefined
  const why = ready?.message ?? 'it was not reconciled yet'
  return waiting('DependencyNotReady', `${kind} ${object.metadata.name} is not ready: ${why}`)
}

export function readyOf({ status }: Conditioned) {
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

/** `whose` names the referrer in the message. */
export function keyMissing(
  { caches }: { readonly caches: KeyCaches },
  namespace: string | undefined,
  reference: KeyReference,
  whose: string,
): DependencyProblem | undefined {
  const missing = missingKey(caches, namespace, reference)
  return missing && waiting('DependencyMissing', `${missing.message} (referred to by ${whose})`)
}

function waiting(reason: DependencyProblem['reason'], message: string): DependencyProblem {
  return { kind: 'waiting', reason, message }
}
