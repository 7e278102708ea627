import type { KubeObject } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import { ApiError } from '../status/api-error.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import type { InternalClient } from './internal-client.ts'
import { RetryQueue } from './retry-queue.ts'

interface NamespaceDefaultsOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  /** CA certificate in PEM that pods verify the server with. */
  readonly caCertificate: string
  readonly onError: (key: string, error: unknown) => void
}

const namespaces = '/core/namespaces/'
const accounts = '/core/serviceaccounts/'
const configMaps = '/core/configmaps/'
const rootCa = 'kube-root-ca.crt'

/**
 * Creates the service account `default` and the ConfigMap with the CA certificate in each active namespace, and keeps
 * them.
 */
export function startNamespaceDefaults(options: NamespaceDefaultsOptions): BackgroundTask {
  const { store, onError } = options
  const queue = new RetryQueue((name) => provide(options, name), onError)
  const { entries, revision } = store.list(namespaces)
  for (const { value } of entries) queue.add(value.metadata.name)
  const watches = [
    store.watch(namespaces, revision, ({ type, entry }) => {
      if (type !== 'DELETED') queue.add(entry.value.metadata.name)
    }),
    store.watch(accounts, revision, ({ type, entry }) => {
      const { name, namespace } = entry.value.metadata
      if (type === 'DELETED' && name === 'default' && namespace) queue.add(namespace)
    }),
    store.watch(configMaps, revision, ({ type, entry }) => {
      const { name, namespace } = entry.value.metadata
      if (type !== 'ADDED' && name === rootCa && namespace) queue.add(namespace)
    }),
  ]
  return {
    async stop() {
      for (const watch of watches) watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}

async function provide(
  { store, registry, client, caCertificate }: NamespaceDefaultsOptions,
  namespace: string,
): Promise<void> {
  const owner = store.get(`${namespaces}${namespace}`)?.value
  const serviceAccount = registry.find('', 'v1', 'serviceaccounts')
  const configMap = registry.find('', 'v1', 'configmaps')
  if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return
  if (serviceAccount === undefined || configMap === undefined) return

  if (store.get(`${accounts}${namespace}/default`) === undefined) {
    await unlessThere(
      client.create(serviceAccount, namespace, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      }),
    )
  }
  const data = { 'ca.crt': `${caCertificate.trim()}\n` }
  const live = store.get(`${configMaps}${namespace}/${rootCa}`)?.value as ConfigMap | undefined
  if (live === undefined) {
    const fresh: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: rootCa,
        namespace,
        annotations: {
          'kubernetes.io/description':
            'Holds the certificate with which to verify this API server. Made for every namespace, and made again when changed.',
        },
      },
      data,
    }
    await unlessThere(client.create(configMap, namespace, fresh))
  } else if (live.data?.['ca.crt'] !== data['ca.crt']) {
    await client.update(
      { resource: configMap, namespace, name: rootCa },
      (object) => ({ ...object, data }) as ConfigMap,
    )
  }
}

interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

/** Ignores that the object already exists or that the namespace is being deleted. */
async function unlessThere(create: Promise<void>): Promise<void> {
  try {
    await create
  } catch (error) {
    const fine = ['AlreadyExists', 'NotFound', 'Forbidden']
    if (!(error instanceof ApiError) || !fine.includes(error.reason)) throw error
  }
}
