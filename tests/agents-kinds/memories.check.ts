import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { createLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAgents } from './agents-bench.ts'
import { agentsServer } from './agents-server.ts'
import { expectSettled } from './settled.ts'

const memories = kindRef(memory)
const connection = { secretRef: { name: 's', key: 'url' } }

/** Answers every command with what a healthy Redis says to PING, and counts who came. */
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

describe('a store that can be asked', () => {
  const client = agentsServer()

  const setUp = async (url: string, type = 'redis') => {
    const bench = await startAgents(client())
    const data = (value: string) => ({ data: { url: Buffer.from(value).toString('base64') } })
    await bench.create(SecretKind, 's', data(url))
    await bench.create(memories, 'm', { spec: { type, connection } })
    const say = (value: string) =>
      client().patch(
        SecretKind,
        { namespace: bench.namespace, name: 's' },
        { type: 'merge', body: data(value) },
      )
    return { ...bench, bench, say }
  }

  test('is asked once, not each time that somebody looks', async () => {
    const redis = await startRedis()
    const { bench, ready, skip, touch, told } = await setUp(`redis://:hush@127.0.0.1:${redis.port}`)
    await ready(memories, 'm')
    await expectSettled(bench, memories, 'm')
    expect(redis.connections).toBe(1)
    skip(300_000)
    await expectSettled(bench, memories, 'm')
    expect(redis.connections).toBe(2)
    redis.stop()
    skip(300_000)
    await touch(memories, 'm')
    expect(await told(memories, 'm', 'Ready', 'Unreachable')).toContain('ECONNREFUSED')
    const object = await client().get(memories, { namespace: bench.namespace, name: 'm' })
    expect(JSON.stringify(object) + bench.words.join('\n')).not.toMatch(/hush|redis:\/\//)
  })

  test('is asked again by itself until it answers', async () => {
    const redis = await startRedis()
    redis.stop()
    const { ready, told } = await setUp(`redis://127.0.0.1:${redis.port}`)
    await told(memories, 'm', 'Reconciling', 'Unreachable')
    await startRedis(redis.port)
    await ready(memories, 'm')
  })

  test('is asked at once when its Secret says another address', async () => {
    const redis = await startRedis()
    const { ready, told, say } = await setUp('redis')
    expect(await told(memories, 'm', 'Stalled', 'InvalidConnection')).toContain('redis://')
    await say(`redis://127.0.0.1:${redis.port}`)
    await ready(memories, 'm')
    await say('redis://127.0.0.1:1')
    await told(memories, 'm', 'Reconciling', 'Unreachable')
  })

  test('is signed in to, where it is a PostgreSQL', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'agents-memories-'))
    const log = createLogger({ sink: { write: () => undefined } })
    const postgres = await startPostgres({ directory, log })
    onTestFinished(async () => {
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    })
    const { bench, ready, told, say } = await setUp(postgres.url, 'postgres')
    await ready(memories, 'm')
    await expectSettled(bench, memories, 'm')
    await say(postgres.url.replace(/:[^:@]+@/, ':wrong@'))
    await told(memories, 'm', 'Ready', 'InvalidConnection', 'refuses this password')
    await say(postgres.url.replace(/[^/]+$/, 'elsewhere'))
    await told(memories, 'm', 'Ready', 'InvalidConnection', 'no such database')
    await say(postgres.url)
    await ready(memories, 'm')
  })
})
