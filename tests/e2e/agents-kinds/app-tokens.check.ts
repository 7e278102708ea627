import { vcsTokenSecret } from '@agents/jangar'
import { type VersionControlProvider, versionControlProvider } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { startTokenService } from '../../support/agents/token-service.ts'
import { until } from '../../support/testbed/until.ts'
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'
import { expectSettled } from './settled.ts'

const services = kindRef<VersionControlProvider>(versionControlProvider)
const anHour = 3_600_000

function base64(text: string) {
  return Buffer.from(text).toString('base64')
}

describe('tokens of an app', () => {
  const client = agentsServer()

  async function setUp() {
    const service = await startTokenService()
    const harness = await startAgents(client())
    const { namespace, create } = harness
    await create(SecretKind, 'key', { data: { privateKey: base64(service.privateKey) } })
    const app = { appId: 7, installationId: 8, privateKeySecretRef: { name: 'key' } }
    const spec = { provider: 'github', apiBaseUrl: service.url, auth: { app } }
    await create(services, 'hub', { spec })
    const hub = () => client().get(services, { namespace, name: 'hub' })
    const secret = async () => {
      const { name = '', key = '' } = vcsTokenSecret(await hub()) ?? {}
      const found = await client().get(SecretKind, { namespace, name })
      return { found, token: Buffer.from(found.data?.[key] ?? '', 'base64').toString() }
    }
    const patch = (body: object) =>
      client().patch(services, { namespace, name: 'hub' }, { type: 'merge', body })
    return { ...harness, harness, service, hub, secret, patch }
  }

  test('are stored in a Secret of the provider, replaced in time, and never disclosed', async () => {
    const { harness, service, hub, secret, ready, skip, touch, alarms, words } = await setUp()
    await ready(services, 'hub')
    const { found, token } = await secret()
    expect(token).toBe('token-number-1')
    expect(found.metadata.ownerReferences).toMatchObject([
      { kind: 'VersionControlProvider', name: 'hub', controller: true },
    ])
    await expectSettled(harness, services, 'hub')
    expect(service.issued).toHaveLength(1)
    const inTime = alarms.filter((ms) => ms > anHour / 2 && ms <= anHour - 300_000)
    expect(inTime.length, 'somebody looks again before the token ends').toBeGreaterThan(0)
    const before = await hub()
    skip(anHour - 240_000)
    await touch(services, 'hub')
    await until(async () => (await secret()).token === 'token-number-2')
    expect(await hub()).toEqual(before)
    const waitForCondition = `${words.join('\n')}${JSON.stringify(before)}`
    for (const hidden of [...service.issued, service.privateKey.split('\n')[1] ?? '', 'eyJ']) {
      expect(waitForCondition).not.toContain(hidden)
    }
  })

  test('are issued again when the Secret is deleted or the app changes', async () => {
    const { harness, service, secret, ready, waitForCondition, patch } = await setUp()
    await ready(services, 'hub')
    const { found } = await secret()
    await client().delete(SecretKind, found.metadata)
    await until(() => service.issued.length === 2)
    await patch({ spec: { auth: { app: { appId: '9' } } } })
    expect(await waitForCondition(services, 'hub', 'TokenIssued', 'TokenRefused')).toContain('401')
    await patch({ spec: { auth: { app: { appId: '7' } } } })
    await ready(services, 'hub')
    await expectSettled(harness, services, 'hub')
  })

  test('stay in use while the service is unavailable, until they expire', async () => {
    const { service, ready, waitForCondition, skip, touch, hub, secret } = await setUp()
    await ready(services, 'hub')
    service.trouble = 503
    const before = await hub()
    skip(anHour - 120_000)
    await touch(services, 'hub')
    expect(await hub()).toEqual(before)
    skip(180_000)
    await touch(services, 'hub')
    expect(await waitForCondition(services, 'hub', 'Ready', 'ServiceUnreachable')).toContain('503')
    await expect(secret()).rejects.toThrow(/not found/)
    service.trouble = undefined
    await touch(services, 'hub')
    await ready(services, 'hub')
    expect(service.issued).toHaveLength(2)
  })

  test('need a private key, and are deleted when they are no longer valid or needed', async () => {
    const { namespace, service, secret, ready, waitForCondition, patch } = await setUp()
    await ready(services, 'hub')
    const { found } = await secret()
    const gone = () => expect(client().get(SecretKind, found.metadata)).rejects.toThrow(/not found/)
    const key = (text: string) =>
      client().patch(
        SecretKind,
        { namespace, name: 'key' },
        { type: 'merge', body: { data: { privateKey: base64(text), token: base64('t') } } },
      )
    await key('replace-me')
    await waitForCondition(services, 'hub', 'Stalled', 'InvalidPrivateKey')
    await gone()
    await key(service.privateKey)
    await ready(services, 'hub')
    expect((await secret()).token).toBe('token-number-2')
    await patch({ spec: { auth: { app: null, token: { secretRef: { name: 'key' } } } } })
    await waitForCondition(services, 'hub', 'TokenIssued', 'NotRequired')
    await gone()
  })

  test('never overwrite a Secret with another owner', async () => {
    const service = await startTokenService()
    const { namespace, create, waitForCondition } = await startAgents(client())
    await create(SecretKind, 'key', { data: { privateKey: base64(service.privateKey) } })
    const app = { appId: 7, installationId: 8, privateKeySecretRef: { name: 'key' } }
    const spec = { provider: 'github', apiBaseUrl: service.url, auth: { app } } as const
    const { name = '' } = vcsTokenSecret({ metadata: { name: 'hub' }, spec }) ?? {}
    await create(SecretKind, name, { data: { token: base64('mine') } })
    await create(services, 'hub', { spec })
    expect(await waitForCondition(services, 'hub', 'TokenIssued', 'CheckFailed')).toContain(name)
    const { data } = await client().get(SecretKind, { namespace, name })
    expect(data).toEqual({ token: base64('mine') })
    expect(service.issued).toEqual([])
  })

  test('survive a restart of the controllers, which issues no token', async () => {
    const { service, ready, namespace } = await setUp()
    await ready(services, 'hub')
    const again = await startAgents(client(), namespace)
    await again.touch(services, 'hub')
    await expectSettled(again, services, 'hub')
    expect(service.issued).toHaveLength(1)
  })
})
