import { agent, agentProvider, versionControlProvider } from '@agents/jangar-api'
import { type KubeClient, kindRef, SecretKind } from '@agents/kube'
import { until } from '../testbed/until.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { giteaVersion } from './gitea-program.ts'
import type { Gitea } from './gitea-server.ts'

export type GiteaBed = Awaited<ReturnType<typeof openGiteaBed>>

interface GiteaBedOptions {
  /** Of the user `owner`. */
  readonly repository: string
  /** The permission of the platform. */
  readonly bot: 'write' | 'admin'
}

/**
 * A private repository of a real Gitea, its owner, a reviewer and a bot for the platform, whose requests to the API
 * can be cut off.
 */
export async function openGiteaBed(gitea: Gitea, { repository, bot }: GiteaBedOptions) {
  const api = `/repos/${repository}`
  const owner = await gitea.user('owner', { admin: true })
  const reviewer = await gitea.user('reviewer')
  // The scopes that docs/gitea.md names.
  const token = await gitea.user('bot', { scopes: 'write:repository,write:issue' })
  const name = repository.slice('owner/'.length)
  const repo = { name, auto_init: true, default_branch: 'main', private: true }
  await gitea.api(owner, 'POST', '/user/repos', repo)
  for (const [user, permission] of Object.entries({ bot, reviewer: 'write' })) {
    await gitea.api(owner, 'PUT', `${api}/collaborators/${user}`, { permission })
  }
  // A program that is built from the module does not know its version.
  const proxy = await startCuttingProxy(gitea.url, {
    '/api/v1/version': { version: await giteaVersion() },
  })
  return {
    ...{ gitea, proxy, owner, reviewer },
    addLabel: async (name: string): Promise<number> => {
      const label = { name, color: '#00aabb' }
      return (await gitea.api<{ id: number }>(owner, 'POST', `${api}/labels`, label)).id
    },
    /** The provider `hub`, and the agent `scripted`, which runs the parameter `script`. */
    prepare: async (
      client: KubeClient,
      { namespace, pullRequest = {}, spec = {} }: Prepared,
    ): Promise<void> => {
      const data = { token: Buffer.from(token).toString('base64') }
      await client.create(SecretKind, { metadata: { name: 'forge', namespace }, data } as never)
      await client.create(kindRef(versionControlProvider), {
        metadata: { name: 'hub', namespace },
        spec: {
          ...{ provider: 'gitea', cloneBaseUrl: gitea.url, apiBaseUrl: `${proxy.url}/api/v1` },
          auth: { token: { secretRef: { name: 'forge' } } },
          defaults: { pullRequest },
        },
      } as never)
      const argsTemplate = ['--', '/bin/sh', '-c', '{{ inputs.script }}']
      await client.create(kindRef(agentProvider), {
        metadata: { name: 'scripted', namespace },
        spec: { binary: 'agent-runner', argsTemplate },
      } as never)
      await client.create(kindRef(agent), {
        metadata: { name: 'scripted', namespace },
        spec: { providerRef: { name: 'scripted' }, ...spec },
      } as never)
    },
    /** Gitea checks for a while whether a pull request can be merged. */
    merge: async (number: number): Promise<void> => {
      const merged = () =>
        gitea.api(owner, 'POST', `${api}/pulls/${number}/merge`, { Do: 'squash' }).then(
          () => true,
          () => false,
        )
      await until(merged, 'Gitea does not merge it', { timeoutMs: 60_000, everyMs: 300 })
    },
    close: (): void => proxy.close(),
  }
}

interface Prepared {
  readonly namespace: string
  /** Defaults of the provider for pull requests. */
  readonly pullRequest?: object
  /** Further fields of the agent. */
  readonly spec?: object
}
