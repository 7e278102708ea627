import { type Clock, sleep } from '@agents/controller'
import { isNotFound, type KindRef, type KubeClient, type KubeError } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { WatchedName } from '../../config/config-reload.ts'
import { type Content, contentDigest } from './content-digest.ts'

export interface WatchedObject extends WatchedName {
  readonly kind: KindRef<Content>
  readonly namespace: string
}

interface WatchPorts {
  readonly client: Pick<KubeClient, 'get' | 'watch'>
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Resolves with the object once its content differs from the first observed state, or with undefined when the signal is
 * aborted. Creating a missing object is a change. Deleting one is not: the running process has settings that a new one
 * would lack. Needs `get` and `watch` on that name only.
 */
export async function contentChange(
  object: WatchedObject,
  { client, clock, log }: WatchPorts,
  signal: AbortSignal,
): Promise<Content | undefined> {
  const baseline = new Baseline(object.keys)
  let pauseMs = shortestPauseMs
  while (!signal.aborted) {
    try {
      for await (const seen of states(object, client, signal)) {
        pauseMs = shortestPauseMs
        if (baseline.differsFrom(seen)) return seen
      }
    } catch (error) {
      if (signal.aborted) break
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      log.warn(
        'watch of a configuration source failed; changes are not detected until it recovers',
        {
          object: describe(object),
          error,
        },
      )
    }
    await sleep(clock, pauseMs, signal)
  }
  return undefined
}

const shortestPauseMs = 1_000
const longestPauseMs = 60_000

export function describe({ kind, name }: Pick<WatchedObject, 'kind' | 'name'>): string {
  return `${kind.kind} ${name}`
}

/** The content that the process started with, as far as it is known. */
export class Baseline {
  readonly #keys: readonly string[]
  /** The digest is undefined if the object did not exist. */
  #first: { readonly digest: string | undefined } | undefined

  constructor(keys: readonly string[]) {
    this.#keys = keys
  }

  /** The first call only sets the baseline. */
  differsFrom(content: Content | undefined): boolean {
    const digest = content && contentDigest(content, this.#keys)
    if (this.#first === undefined) {
      this.#first = { digest }
      return false
    }
    return digest !== undefined && digest !== this.#first.digest
  }
}

/** The current state, then each later one, until the server ends the watch. */
async function* states(
  { kind, namespace, name }: WatchedObject,
  client: WatchPorts['client'],
  signal: AbortSignal,
): AsyncGenerator<Content | undefined> {
  const present = await client
    .get(kind, { namespace, name }, { signal })
    .catch((error: KubeError) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  yield present
  const stream = await client.watch(kind, {
    namespace,
    // RBAC rules with resourceNames allow a watch only with this selector.
    fieldSelector: `metadata.name=${name}`,
    ...(present && { resourceVersion: present.metadata.resourceVersion }),
    timeoutSeconds: 300,
    signal,
  })
  try {
    for await (const event of stream) {
      if (event.type === 'ERROR') return
      if (event.type === 'ADDED' || event.type === 'MODIFIED') yield event.object
    }
  } finally {
    stream.close()
  }
}
