import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'
import { expectSettled } from './settled.ts'

const memories = kindRef(memory)
const connection = { secretRef: { name: 's', key: 'url' } }

/** Answers every command as a healthy Redis answers PING, and counts connections. */
async function startRedis(port = 0) {
  const seen = { connections: 0, port: 0, stop: () => undefined as unknown }
  const server = createServer((socket) => {
    seen.connections += 1
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      const commands = chunk.toString().match(/\*\d/g) ?? []
      socket.write('+PONG\r\n'.repeat(commands.length))
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  seen.port = (server.address() as AddressInfo).port
  seen.stop = () => server.close()
  onTestFinished(() => void server.close())
  return seen
}

describe('a store that can be probed', () => {
  const client = agentsServer()

  const setUp = async (url: string, type = 'redis') => {
    const harness = await startAgents(client())
    const data = (value: string) => ({ data: { url: Buffer.from(value).toString('base64') } })
    await harness.create(SecretKind, 's', data(url))
    await harness.create(memories, 'm', { spec: { type, connection } })
    const say = (value: string) =>
      client().patch(
        SecretKind,
        { namespace: harness.namespace, name: 's' },
        { type: 'merge', body: data(value) },
      )
    return { ...harness, harness, say }
  }

  test('is probed once, not on every reconcile', async () => {
    const redis = await startRedis()
    const { harness, ready, skip, touch, waitForCondition } = await setUp(
      `redis://:hush@127.0.0.1:${redis.port}`,
    )
    await ready(memories, 'm')
    await expectSettled(harness, memories, 'm')
    expect(redis.connections).toBe(1)
    skip(300_000)
    await expectSettled(harness, memories, 'm')
    expect(redis.connections).toBe(2)
    redis.stop()
    skip(300_000)
    await touch(memories, 'm')
    expect(await waitForCondition(memories, 'm', 'Ready', 'Unreachable')).toMatch(
      /^the \w+ store at the address in Secret \S+ is not reachable; see the log/,
    )
    const object = await client().get(memories, { namespace: harness.namespace, name: 'm' })
    expect(JSON.stringify(object) + harness.words.join('\n')).not.toMatch(/hush|redis:\/\//)
  })

  test('waits for the token of its embeddings', async () => {
    const { create, waitForCondition } = await startAgents(client())
    await create(SecretKind, 's', { data: { url: '' } })
    const embeddings = { url: 'https://models.example.com/v1', model: 'm' }
    const spec = { type: 'postgres', connection }
    const secretRef = { name: 'models' }
    await create(memories, 'm', { spec: { ...spec, embeddings: { ...embeddings, secretRef } } })
    const condition = 'CredentialsResolved'
    expect(await waitForCondition(memories, 'm', condition, 'SecretNotFound')).toContain('models')
    await create(SecretKind, 'models', { data: { other: '' } })
    expect(await waitForCondition(memories, 'm', condition, 'SecretKeyMissing')).toContain('token')
    const redis = { spec: { ...spec, type: 'redis', embeddings } }
    await expect(create(memories, 'r', redis)).rejects.toThrow('type postgres')
    for (const url of ['https://user:secret@models.example.com', 'file:///etc/passwd', 'models']) {
      const bad = { spec: { ...spec, embeddings: { ...embeddings, url } } }
      await expect(create(memories, 'bad', bad)).rejects.toThrow('spec.embeddings.url')
    }
  })

  test('is probed again until it answers', async () => {
    const redis = await startRedis()
    redis.stop()
    const { ready, waitForCondition } = await setUp(`redis://127.0.0.1:${redis.port}`)
    await waitForCondition(memories, 'm', 'Reconciling', 'Unreachable')
    await startRedis(redis.port)
    await ready(memories, 'm')
  })

  test('is probed immediately when the address in its Secret changes', async () => {
    const redis = await startRedis()
    const { ready, waitForCondition, say } = await setUp('redis')
    expect(await waitForCondition(memories, 'm', 'Stalled', 'InvalidConnection')).toContain(
      'redis://',
    )
    await say(`redis://127.0.0.1:${redis.port}`)
    await ready(memories, 'm')
    await say('redis://127.0.0.1:1')
    await waitForCondition(memories, 'm', 'Reconciling', 'Unreachable')
  })

  test('is logged in to if it is a PostgreSQL', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'agents-memories-'))
    const log = silentLogger
    const postgres = await startPostgres({ directory, log })
    onTestFinished(async () => {
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    })
    const { harness, ready, waitForCondition, say } = await setUp(postgres.url, 'postgres')
    await ready(memories, 'm')
    await expectSettled(harness, memories, 'm')
    await say(postgres.url.replace(/:[^:@]+@/, ':wrong@'))
    await waitForCondition(memories, 'm', 'Ready', 'InvalidConnection', 'refuses this password')
    await say(postgres.url.replace(/[^/]+$/, 'elsewhere'))
    await waitForCondition(memories, 'm', 'Ready', 'InvalidConnection', 'no such database')
    await say(postgres.url)
    await ready(memories, 'm')
  })
})
