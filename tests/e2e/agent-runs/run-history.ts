import type { AgentRun } from '@agents/jangar-api'
import { compareRevisions, type KindRef, type KubeClient } from '@agents/kube'

/** A record of every state of every run since the call, however short-lived. */
interface RunHistory {
  /** The first state newer than `run` in which the predicate holds. */
  after(run: AgentRun, holds: (run: AgentRun) => boolean): Promise<AgentRun>
  stop(): Promise<void>
}

export async function runHistory(
  client: KubeClient,
  kind: KindRef<AgentRun>,
  namespace: string,
): Promise<RunHistory> {
  let { resourceVersion } = (await client.list(kind, { namespace })).metadata
  const control = new AbortController()
  const { signal } = control
  const states: AgentRun[] = []
  const waiters = new Set<() => void>()
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const stream = await client.watch(kind, { namespace, resourceVersion, signal })
      for await (const event of stream) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue
        states.push(event.object)
        resourceVersion = event.object.metadata.resourceVersion
        for (const wake of waiters) wake()
      }
    }
  }
  const following = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  return {
    after: ({ metadata }, holds) => {
      const { resourceVersion: since = '' } = metadata
      const find = () =>
        states.find(
          (state) =>
            state.metadata.uid === metadata.uid &&
            compareRevisions(state.metadata.resourceVersion ?? '', since) > 0 &&
            holds(state),
        )
      return new Promise((resolve) => {
        const record = (): void => {
          const found = find()
          if (!found) return
          waiters.delete(record)
          resolve(found)
        }
        waiters.add(record)
        record()
      })
    },
    stop: async () => {
      control.abort(new Error('seen enough'))
      await following
    },
  }
}
