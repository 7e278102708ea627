import {
  bearer,
  ConfigMapKind,
  type Connection,
  createKubeClient,
  type KubeClient,
  staticCredentials,
} from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiServer, startApiServer } from './server.ts'

type Impersonation = NonNullable<Connection['impersonate']>

describe('completed writes', () => {
  let server: ApiServer
  let client: KubeClient
  const users = new Map<string, string>()

  const as = (token: string, impersonate?: Impersonation): KubeClient =>
    createKubeClient({
      server: server.url,
      namespace: 'default',
      tls: { authority: () => Promise.resolve(server.caCertificate) },
      credentials: staticCredentials({ authorization: bearer(token) }),
      ...(impersonate && { impersonate }),
    })

  beforeAll(async () => {
    server = await startApiServer({
      logger: silentLogger,
      staticTokens: new Map([
        ['developer-token', { name: 'developer', groups: ['system:masters'] }],
      ]),
      onWrite: ({ revision, user }) => users.set(String(revision), user.name),
    })
    client = as('developer-token')
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })

  const key = { name: 'a', namespace: 'default' }

  test('are reported with the user of the request and the new resource version', async () => {
    const created = await client.create(ConfigMapKind, { metadata: key })
    const body = { data: { a: '1' }, metadata: { annotations: { user: 'attacker' } } }
    const patched = await client.patch(ConfigMapKind, key, { type: 'merge', body })
    const count = (): number => [...users.values()].filter((name) => name === 'developer').length
    const before = count()
    await client.patch(ConfigMapKind, key, { type: 'merge', body })
    expect(count(), 'nothing was written').toBe(before)
    for (const { metadata } of [created, patched]) {
      expect(users.get(metadata.resourceVersion ?? '')).toBe('developer')
    }
  })

  test('are reported for deletions too', async () => {
    const { items, metadata } = await client.list(ConfigMapKind, { namespace: 'default' })
    expect(items.map((one) => one.metadata.name)).toContain('a')
    const watch = await client.watch(ConfigMapKind, {
      namespace: 'default',
      resourceVersion: metadata.resourceVersion ?? '',
    })
    await as(server.adminToken).delete(ConfigMapKind, key)
    for await (const event of watch) {
      if (event.type !== 'DELETED') continue
      expect(users.get(event.object.metadata.resourceVersion ?? '')).toBe('admin')
      break
    }
  })

  test('name the impersonated user', async () => {
    const maintainer = as('developer-token', { user: 'maintainer', groups: ['system:masters'] })
    const { metadata } = await maintainer.create(ConfigMapKind, { metadata: { ...key, name: 'b' } })
    expect(users.get(metadata.resourceVersion ?? '')).toBe('maintainer')
    maintainer.close()
  })

  test('name the user also for a request so large that another thread handles it', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`key-${index}`, 'x']),
    )
    const { metadata } = await client.create(ConfigMapKind, {
      metadata: { ...key, name: 'c' },
      data,
    })
    expect(users.get(metadata.resourceVersion ?? '')).toBe('developer')
  })
})
