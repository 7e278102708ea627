import { systemClock } from '@agents/controller'
import {
  type ImplementationSource,
  type ImplementationSpec,
  implementationSource,
  implementationSpec,
  versionControlProvider,
} from '@agents/jangar-api'
import {
  createInformers,
  createKubeClient,
  EventKind,
  kindRef,
  loadKubeconfig,
  SecretKind,
  systemEffects,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { openDatabase } from '../../../services/jangar/src/server/db.ts'
import { serveApi } from '../../../services/jangar/src/server/http/serve-api.ts'
import { until } from '../../support/testbed/until.ts'
import { openForgePlatform } from './services/forge-platform.ts'
import { databaseAt, type RunningServices } from './services/services.ts'

export const sourceKind = kindRef<ImplementationSource>(implementationSource)
export const specKind = kindRef<ImplementationSpec>(implementationSpec)
export const secret = 'the-secret-that-signs-deliveries'

export type SourceBed = Awaited<ReturnType<typeof startSourceBed>>

/** A namespace of the platform of the suite, with an HTTP API that receives webhooks. */
export async function startSourceBed(namespace: string, own?: RunningServices) {
  const platform = await openForgePlatform(namespace, own)
  const { client, calls } = platform
  const { kubeconfigPath, databaseUrl } = platform.addresses
  const db = await openDatabase(databaseAt(databaseUrl), silentLogger)
  const connection = await loadKubeconfig({ paths: [kubeconfigPath] }, systemEffects({}))
  const asking = createKubeClient(connection)
  const informers = createInformers(asking)
  const stopping = new AbortController()
  const server = serveApi({
    listen: { host: '127.0.0.1', port: 0, tls: undefined },
    ...{ opensAtOnce: true, version: '1.2.3', connection, client: asking, informers },
    ...{ namespaces: ['*'], readiness: {}, stopping: stopping.signal },
    ...{ log: silentLogger, clock: systemClock },
    webhooks: { database: Promise.resolve(db), queueSize: 1000, refusedSecrets: [] },
  })
  await server.start()
  const running = server.run(stopping.signal)
  const data = { token: Buffer.from(secret).toString('base64') }
  await client.create(SecretKind, { metadata: { name: 'hook', namespace }, data } as never)
  return {
    ...{ client, db, namespace, platform },
    gitea: platform.gitea,
    /** The deliveries to sources of the namespace. */
    inbox: () => db.selectFrom('webhook_inbox').where('namespace', '=', namespace),
    hookUrl: (provider: string, name: string) =>
      `${server.url}/api/agents/implementation-sources/webhooks/${provider}/${namespace}/${name}`,
    source: (name: string, spec: object) =>
      client.create(sourceKind, {
        metadata: { name, namespace },
        spec: { auth: { secretRef: { name: 'hook' } }, ...spec },
      } as never),
    /** A VersionControlProvider for the repositories of a Gitea. */
    giteaProvider: async (name: string, url: string, token: string): Promise<void> => {
      const data = { token: Buffer.from(token).toString('base64') }
      await client.create(SecretKind, { metadata: { name: 'forge', namespace }, data } as never)
      await client.create(kindRef(versionControlProvider), {
        metadata: { name, namespace },
        spec: {
          ...{ provider: 'gitea', cloneBaseUrl: url },
          auth: { token: { secretRef: { name: 'forge' } } },
        },
      } as never)
    },
    /** The messages of events with this reason. */
    events: async (reason: string): Promise<readonly string[]> => {
      const { items } = await client.list(EventKind, { namespace })
      return items.filter((one) => one.reason === reason).map(({ message }) => message ?? '')
    },
    /** Does `meanwhile` while there are none. */
    restartControllers: async (meanwhile: () => Promise<unknown> = async () => undefined) => {
      await calls.killControllers()
      await meanwhile()
      await calls.startControllers()
    },
    /** The specs of a source, by the identifier of their issue. */
    specs: async (
      source: string,
    ): Promise<Readonly<Record<string, ImplementationSpec['spec']>>> => {
      const labelSelector = `agents.proompteng.ai/implementation-source=${source}`
      const { items } = await client.list(specKind, { namespace, labelSelector })
      return Object.fromEntries(items.map(({ spec }) => [spec.source?.externalId ?? '', spec]))
    },
    /** The name of the spec of an issue. */
    specOf: async (source: string, externalId: string): Promise<string | undefined> => {
      const labelSelector = `agents.proompteng.ai/implementation-source=${source}`
      const { items } = await client.list(specKind, { namespace, labelSelector })
      return items.find(({ spec }) => spec.source?.externalId === externalId)?.metadata.name
    },
    /** Asks for a list, and waits for it. */
    sync: async (name: string): Promise<ImplementationSource> => {
      const request = String(performance.now())
      const annotations = { 'agents.proompteng.ai/sync-requested': request }
      const body = { metadata: { annotations } }
      await client.patch(sourceKind, { namespace, name }, { type: 'merge', body })
      let found: ImplementationSource | undefined
      await until(
        async () => {
          found = await client.get(sourceKind, { namespace, name })
          return found.status?.lastSync?.request === request
        },
        `${name} was not listed`,
        { timeoutMs: 60_000, everyMs: 100 },
      )
      return found as ImplementationSource
    },
    stop: async () => {
      stopping.abort()
      await running
      await informers.stop()
      asking.close()
      await db.destroy()
      await platform.stop()
    },
  }
}
