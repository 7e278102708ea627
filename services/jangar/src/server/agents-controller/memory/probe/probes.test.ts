import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fakePostgres } from '../testing/fake-postgres.ts'
import { fakeRedis } from '../testing/fake-redis.ts'
import { listen } from '../testing/listen.ts'
import { probePostgres } from './probe-postgres.ts'
import { probeRedis } from './probe-redis.ts'

const never = new AbortController().signal
const handshakeRecord = 0x16

describe('a probe of Redis', () => {
  test.each([
    { because: 'no password is required', password: undefined, userInfo: '', kind: 'reachable' },
    { because: 'the password is correct', password: 'p', userInfo: ':p@', kind: 'reachable' },
    {
      because: 'user and password are correct',
      password: 'p',
      userInfo: 'default:p@',
      kind: 'reachable',
    },
    { because: 'the password is wrong', password: 'p', userInfo: ':q@', kind: 'refused' },
    { because: 'a password is required', password: 'p', userInfo: '', kind: 'refused' },
    { because: 'no password is configured', password: undefined, userInfo: ':p@', kind: 'refused' },
  ])('is $kind: $because', async ({ password, userInfo, kind }) => {
    const redis = await fakeRedis(password)
    onTestFinished(redis.stop)
    const outcome = await probeRedis(`redis://${userInfo}127.0.0.1:${redis.port}/0`, never)
    expect(outcome.kind).toBe(kind)
  })

  test('uses TLS if the address requires it, without falling back', async () => {
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

describe('a probe of PostgreSQL', () => {
  test.each([
    { because: 'it responds', userInfo: 'me:p', kind: 'reachable' },
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

  test('requires TLS if the address does', async () => {
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

describe.each(probes)('a failing probe of $store', ({ probe, scheme }) => {
  test('reports a refused connection', async () => {
    expect(await probe(`${scheme}://:secret@127.0.0.1:1`, never)).toEqual({
      kind: 'unreachable',
      message: 'the store is not reachable (ECONNREFUSED)',
    })
  })

  test('recognizes a server of another kind', async () => {
    const server = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    onTestFinished(server.stop)
    expect((await probe(`${scheme}://127.0.0.1:${server.port}`, never)).kind).toBe('unreachable')
  })

  test.each([
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    '0.0.0.0',
    '224.0.0.1',
  ])('does not connect to %s', async (host) => {
    expect(await probe(`${scheme}://:secret@${host}`, never)).toEqual({
      kind: 'invalid',
      message: 'its host is a link-local, metadata or multicast address',
    })
  })

  test('reports an invalid address', async () => {
    expect((await probe('secret', never)).kind).toBe('invalid')
  })

  test('stops when the signal is aborted, and closes the connection', async () => {
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

test('a probe times out if the store does not respond', async () => {
  const server = await listen(() => undefined)
  onTestFinished(server.stop)
  const probeCount = probes.map(({ probe, scheme }) =>
    probe(`${scheme}://127.0.0.1:${server.port}`, never),
  )
  for (const { kind } of await Promise.all(probeCount)) expect(kind).toBe('unreachable')
})
