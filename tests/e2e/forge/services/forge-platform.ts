import { env } from 'node:process'
import {
  createKubeClient,
  type KubeClient,
  loadKubeconfig,
  NamespaceKind,
  systemEffects,
} from '@agents/kube'
import { inject } from 'vitest'
import { type Gitea, giteaRequest } from '../../../support/gitea/gitea-server.ts'
import { callsAt } from './call.ts'
import { type RunningServices, startServices } from './services.ts'

/** A namespace on the platform of the suite. */
export interface ForgePlatform extends Pick<RunningServices, 'addresses' | 'calls'> {
  readonly client: KubeClient
  readonly namespace: string
  /** The Gitea of the suite, which other files use too. */
  gitea(): Promise<Gitea>
  stop(): Promise<void>
}

/** The services are those that the file has started, or else those of the suite; a file of no suite starts its own. */
export async function openForgePlatform(
  namespace: string,
  own?: RunningServices,
): Promise<ForgePlatform> {
  const { addresses, calls, stop } = own ?? shared() ?? (await startServices(env))
  const { kubeconfigPath } = addresses
  const client = createKubeClient(
    await loadKubeconfig({ paths: [kubeconfigPath] }, systemEffects({})),
  )
  await client.create(NamespaceKind, { metadata: { name: namespace } })
  return {
    ...{ addresses, calls, client, namespace },
    gitea: async () => {
      const url = await calls.gitea()
      return {
        url,
        user: calls.giteaUser,
        api: (token, method, path, body) =>
          giteaRequest(url, { authorization: `token ${token}`, method, path, body }),
        kill: calls.killGitea,
        start: calls.startGitea,
        stop: async () => undefined,
      }
    },
    stop: async () => {
      // Its sources are listed no more.
      await client.delete(NamespaceKind, { name: namespace })
      client.close()
      await stop()
    },
  }
}

function shared(): Pick<RunningServices, 'addresses' | 'calls' | 'stop'> | undefined {
  const provided = inject('forge')
  if (provided === undefined) return undefined
  const { addresses, callUrl } = provided
  return { addresses, calls: callsAt(callUrl), stop: async () => undefined }
}
