import { afterEach, beforeEach, expect, vi } from 'vitest'
import { createKubeClient, type KubeClient } from '../client/kube-client.ts'
import { createInformer, type Informer, type InformerOptions } from '../informer/informer.ts'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { type History, recordHistory } from './history.ts'
import { startWatchServer, type WatchServer } from './watch-server.ts'

type Options = Partial<InformerOptions<ConfigMap>>

/** A server with ConfigMaps, its client, and an informer on request, for each test of a file. */
interface InformerHarness {
  readonly truth: WatchServer
  /** The client of informers that are created later. */
  client: KubeClient
  /** The informer that was created last. */
  readonly informer: Informer<ConfigMap>
  inform(options?: Options): Informer<ConfigMap>
  /** Creates and starts an informer, and waits until it has synced. */
  start(options?: Options): Promise<History<ConfigMap>>
  /** The names of the cached objects. */
  names(): string[]
  /** Waits until the cache equals the state of the server. */
  converged(): Promise<void>
  /** The requests to the server: `list`, `watch` or `stream`, and the requested version. */
  requests(): string[]
}

export function informerHarness(): InformerHarness {
  let truth: WatchServer
  let client: KubeClient
  let informer: Informer<ConfigMap>

  beforeEach(async () => {
    truth = await startWatchServer()
    client = createKubeClient(
      { server: truth.server.url, namespace: 'team' },
      { retry: { baseDelayMs: 1, maxDelayMs: 2 } },
    )
  })

  afterEach(async () => {
    await informer.stop()
    client.close()
    await truth.server.stop()
  })

  const inform = (options: Options = {}): Informer<ConfigMap> => {
    informer = createInformer({
      client,
      kind: ConfigMapKind,
      namespace: 'team',
      freeze: true,
      backoff: { baseMs: 2, maxMs: 10, resetAfterMs: 120_000 },
      ...options,
    })
    return informer
  }

  return {
    get truth() {
      return truth
    },
    get client() {
      return client
    },
    set client(other) {
      client = other
    },
    get informer() {
      return informer
    },
    inform,
    start: async (options) => {
      const history = recordHistory<ConfigMap>()
      inform(options)
      informer.addHandler(history.handler)
      informer.start()
      await informer.waitForSync({ timeoutMs: 60_000 })
      return history
    },
    names: () =>
      informer.store
        .list()
        .map(({ metadata }) => metadata.name)
        .sort(),
    converged: () =>
      vi.waitFor(() => {
        expect(Object.fromEntries(informer.store.list().map((o) => [o.metadata.name, o]))).toEqual(
          Object.fromEntries(truth.objects),
        )
      }, 60_000),
    requests: () =>
      truth.server.requests.map(({ query }) => {
        const from = query.get('resourceVersion') ?? 'now'
        if (query.get('watch') !== 'true') return `list ${from}`
        return query.get('sendInitialEvents') === 'true' ? `stream ${from}` : `watch ${from}`
      }),
  }
}
