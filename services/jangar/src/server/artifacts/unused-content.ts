import type { ArtifactStore, ContentAddress } from '@agents/artifact-store'
import { type Clock, type ResourceCache, type Runnable, sleep } from '@agents/controller'
import type { Artifact } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { addressOf, contentSelector, keepsContent } from './artifact-content.ts'

interface UnusedContentPorts {
  readonly store: ArtifactStore
  readonly client: Pick<KubeClient, 'list'>
  readonly artifacts: ResourceCache<Artifact>
  /** Those that this process may look at. Content of other namespaces is left alone. */
  readonly namespaces: readonly string[]
  readonly log: Logger
  readonly clock: Clock
}

/** Between an artifact that goes and the search for its content: many go at a time. */
const settleMs = 5_000
const intervalMs = 10 * 60_000
/** Longer than any upload. */
const leftoverMs = 24 * 3_600_000

/**
 * Deletes content when its last artifact is deleted or has expired. What is used follows from the artifacts alone; no
 * count is kept. Only the leader may run this.
 */
export function unusedContentPart(ports: UnusedContentPorts): Runnable {
  const { store, artifacts, log, clock } = ports
  return {
    name: 'unused content of artifacts',
    run: async (signal) => {
      let wake = new AbortController()
      const notice = (): void => wake.abort()
      const subscription = artifacts.subscribe({
        onAdd: () => undefined,
        onUpdate: (before, after) => {
          if (before.status?.uri !== undefined && after.status?.uri === undefined) notice()
        },
        onDelete: notice,
      })
      try {
        while (!signal.aborted) {
          wake = new AbortController()
          try {
            await deleteUnused(ports, signal)
            await store.clean(new Date(clock.now().getTime() - leftoverMs))
          } catch (error) {
            if (!signal.aborted) log.warn('unused content of artifacts not deleted', { error })
          }
          await sleep(clock, intervalMs, AbortSignal.any([signal, wake.signal]))
          if (wake.signal.aborted) await sleep(clock, settleMs, signal)
        }
      } finally {
        subscription.remove()
      }
    },
  }
}

/** One search through the store. */
async function deleteUnused(ports: UnusedContentPorts, signal: AbortSignal): Promise<void> {
  const { store, artifacts, namespaces, clock } = ports
  const isOurs = ({ namespace }: ContentAddress) =>
    namespaces.includes('*') || namespaces.includes(namespace)
  for await (const address of store.interrupted()) {
    if (isOurs(address)) await deleteContent(ports, address, signal)
  }
  const used = new Set(
    artifacts
      .list()
      .filter((artifact) => keepsContent(artifact, clock.now()))
      .map((artifact) => keyOf(addressOf(artifact))),
  )
  for await (const address of store.list()) {
    signal.throwIfAborted()
    if (isOurs(address) && !used.has(keyOf(address))) await deleteContent(ports, address, signal)
  }
}

async function deleteContent(
  { store, client, artifacts, log, clock }: UnusedContentPorts,
  address: ContentAddress,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, digest } = address
  const isDeleted = await store.delete(address, async () => {
    // The cache may be behind. The server knows each artifact before its content is uploaded.
    const labelSelector = contentSelector(digest)
    const { items } = await client.list(artifacts.kind, { namespace, labelSelector, signal })
    return items.some(
      (each) => keyOf(addressOf(each)) === keyOf(address) && keepsContent(each, clock.now()),
    )
  })
  if (isDeleted) log.info('unused content of artifacts deleted', { namespace, digest })
}

function keyOf(address: ContentAddress | undefined): string {
  return `${address?.namespace}/${address?.digest}`
}
