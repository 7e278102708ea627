import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fakePostgres } from '../testing/fake-postgres.ts'
import { fakeRedis } from '../testing/fake-redis.ts'
import { listen } from '../testing/listen.ts'
import { probePostgres } from './probe-postgres.ts'
import { probeRedis } from './probe-redis.ts'

const never = new AbortController().signal
const handshakeRecord = 0x16

describe('a look at a Redis', () => {
  test.each([
    { because: 'no password is wanted', password: undefined, userInfo: '', kind: 'reachable' },
    { because: 'the password is right', password: 'p', userInfo: ':p@', kind: 'reachable' },
    { because: 'a user has it too', password: 'p', userInfo: 'default:p@', kind: 'reachable' },
    { because: 'the password is wrong', password: 'p', userInfo: ':q@', kind: 'refused' },
    { because: 'a password is wanted', password: 'p', userInfo: '', kind: 'refused' },
    { because: 'none is wanted', password: undefined, userInfo: ':p@', kind: 'refused' },
  ])('is $kind: $because', async ({ password, userInfo, kind }) => {
    const redis = await fakeRedis(password)
    onTestFinished(redis.stop)
    const outcome = await probeRedis(`redis://${userInfo}127.0.0.1:${redis.port}/0`, never)
    expect(outcome.kind).toBe(kind)
  })

  test('speaks TLS where the address does, and takes nothing less', async () => {
    let first: number | undefined
    const server = await listen((socket) => {
      socket.on('data', (chunk) => {
        first ??= Buffer.from(chunk)[0]
        socket.end('+PONG\r\n')
      })
    })
    onTestFinished(server.stop)
    expect((await probeRedis(`rediss://127.0.0.1:${server.port}`, never)).kind).toBe('unreachable')
    expect(first).toBe(handshakeRecord)
  })
})

describe('a look at a PostgreSQL', () => {
  test.each([
    { because: 'it answers', userInfo: 'me:p', kind: 'reachable' },
    { because: 'the password is wrong', userInfo: 'me:q', kind: 'refused' },
  ])('is $kind: $because', async ({ userInfo, kind }) => {
    const postgres = await fakePostgres('p')
    onTestFinished(postgres.stop)
    const outcome = await probePostgres(
      `postgres://${userInfo}@127.0.0.1:${postgres.port}/d`,
      never,
    )
    expect(outcome.kind).toBe(kind)
  })

  test('insists on TLS where the address does', async () => {
    const postgres = await fakePostgres('p')
    onTestFinished(postgres.stop)
    const address = `postgres://me:p@127.0.0.1:${postgres.port}/d?sslmode=require`
    expect((await probePostgres(address, never)).kind).toBe('unreachable')
  })
})

const probes = [
  { store: 'Redis', probe: probeRedis, scheme: 'redis' },
  { store: 'PostgreSQL', probe: probePostgres, scheme: 'postgres' },
]

describe.each(probes)('a look at no $store', ({ probe, scheme }) => {
  test('says so where nobody listens', async () => {
    expect(await probe(`${scheme}://:secret@127.0.0.1:1`, never)).toEqual({
      kind: 'unreachable',
      message: 'the store does not answer (ECONNREFUSED)',
    })
  })

  test('is not taken in by somebody else', async () => {
    const server = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    onTestFinished(server.stop)
    expect((await probe(`${scheme}://127.0.0.1:${server.port}`, never)).kind).toBe('unreachable')
  })

  test('says which form an address has', async () => {
    expect((await probe('secret', never)).kind).toBe('invalid')
  })

  test('ends with the signal, and leaves no connection behind', async () => {
    const control = new AbortController()
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const server = await listen((socket: Socket) => {
      socket.on('close', () => resolve())
      control.abort(new Error('enough'))
    })
    onTestFinished(server.stop)
    const looking = probe(`${scheme}://127.0.0.1:${server.port}`, control.signal)
    await expect(looking).rejects.toThrow('enough')
    await closed
  })
})

test('a look gives up on a store that says nothing', async () => {
  const server = await listen(() => undefined)
  onTestFinished(server.stop)
  const looks = probes.map(({ probe, scheme }) =>
    probe(`${scheme}://127.0.0.1:${server.port}`, never),
  )
  for (const { kind } of await Promise.all(looks)) expect(kind).toBe('unreachable')
}, 15_000)
