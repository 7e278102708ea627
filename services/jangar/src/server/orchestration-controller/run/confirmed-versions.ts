import type { Clock } from '@agents/controller'
import type { OrchestrationRun } from '@agents/jangar-api'
import { formatKey, type KindRef, type KubeClient } from '@agents/kube'

interface Confirmed {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly at: number
}

/** Shorter than other candidates wait for a leader that does not renew its Lease. */
const validMs = 1000

/**
 * Asks the server whether a run is as the cache has it. The cache may be behind: another leader may have created a
 * child that was deleted since, and its name would not prevent a second one. Another leader needs longer to take over
 * than an answer is valid, so that the steps of a long row are not each delayed by a request.
 */
export class ConfirmedVersions {
  readonly #client: Pick<KubeClient, 'get'>
  readonly #kind: KindRef<OrchestrationRun>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #confirmed = new Map<string, Confirmed>()

  constructor(
    client: Pick<KubeClient, 'get'>,
    kind: KindRef<OrchestrationRun>,
    clock: Pick<Clock, 'elapsed'>,
  ) {
    this.#client = client
    this.#kind = kind
    this.#clock = clock
  }

  async isCurrent({ metadata }: OrchestrationRun, signal: AbortSignal): Promise<boolean> {
    const key = formatKey(metadata)
    const { uid, resourceVersion } = metadata
    // Before the request: a process that was paused while it waited has an old answer.
    const at = this.#clock.elapsed()
    const known = this.#confirmed.get(key)
    const isKnown = known?.uid === uid && known?.resourceVersion === resourceVersion
    if (known !== undefined && isKnown && at - known.at < validMs) return true
    this.#confirmed.delete(key)
    const current = await this.#client.get(this.#kind, metadata, { signal, metadataOnly: true })
    const isSame =
      current.metadata.uid === uid && current.metadata.resourceVersion === resourceVersion
    if (isSame) this.#confirmed.set(key, { uid, resourceVersion, at })
    return isSame
  }

  forget(key: string): void {
    this.#confirmed.delete(key)
  }
}
