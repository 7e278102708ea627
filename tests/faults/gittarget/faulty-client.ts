import { type KindRef, type KubeClient, KubeError, type KubeObject } from '@agents/kube'

export interface WatchFaults {
  /** Initial lists of this resource are cut off after this many objects. */
  cutLists: { readonly plural: string; readonly after: number } | undefined
  /** Watches of this resource cannot be opened. */
  blocked: string | undefined
  /** Reading this resource is forbidden. */
  forbidden: string | undefined
  /** The next watch of this resource that resumes fails as expired. */
  expired: string | undefined
  /** Number of initial lists that were cut off. */
  cuts: number
  /** Ends all watches of a resource. */
  end(plural: string): void
}

/**
 * A client whose lists and watches of one resource in a single namespace fail on demand. Only mirrors send those; the
 * operator's own are cluster-wide.
 */
export function faultyClient(client: KubeClient): { client: KubeClient; faults: WatchFaults } {
  const open = new Set<{ plural: string; close: () => void }>()
  const faults: WatchFaults = {
    cutLists: undefined,
    blocked: undefined,
    forbidden: undefined,
    expired: undefined,
    cuts: 0,
    end: (plural) => {
      for (const stream of open) if (stream.plural === plural) stream.close()
    },
  }
  const broken = (): KubeError => {
    faults.cuts += 1
    return new KubeError('the connection broke off', { code: 0, reason: 'Unreachable' })
  }
  const checkAccess = (plural: string): void => {
    if (faults.forbidden !== plural) return
    throw new KubeError(`${plural} is forbidden`, { code: 403, reason: 'Forbidden' })
  }
  const watch: KubeClient['watch'] = async (kind, options) => {
    const plural = options?.namespace === undefined ? '' : kind.plural
    checkAccess(plural)
    if (faults.blocked === plural) {
      throw new KubeError('no connection', { code: 503, reason: 'ServiceUnavailable' })
    }
    if (faults.expired === plural && options?.sendInitialEvents !== true) {
      faults.expired = undefined
      throw new KubeError('too old resource version', { code: 410, reason: 'Expired' })
    }
    const stream = await client.watch(kind, options)
    const entry = { plural, close: () => stream.close() }
    open.add(entry)
    return {
      ...stream,
      async *batches() {
        let seen = 0
        try {
          for await (const batch of stream.batches()) {
            const limit = options?.sendInitialEvents === true ? faults.cutLists : undefined
            seen += batch.length
            if (limit?.plural === plural && seen > limit.after) {
              yield batch.slice(0, Math.max(0, batch.length - (seen - limit.after)))
              throw broken()
            }
            yield batch
          }
        } finally {
          open.delete(entry)
        }
      },
    }
  }
  async function* pages<T extends KubeObject>(
    kind: KindRef<T>,
    options?: Parameters<KubeClient['pages']>[1],
  ): ReturnType<KubeClient['pages']> {
    let seen = 0
    checkAccess(options?.namespace === undefined ? '' : kind.plural)
    for await (const page of client.pages(kind, options)) {
      yield page
      seen += page.items.length
      const limit = faults.cutLists
      if (options?.namespace && limit?.plural === kind.plural && seen > limit.after) throw broken()
    }
  }
  return { client: { ...client, watch, pages: pages as KubeClient['pages'] }, faults }
}
