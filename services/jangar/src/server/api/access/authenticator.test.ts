import { inspect } from 'node:util'
import { type Clock, systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { authenticator } from './authenticator.ts'

type Review = Parameters<typeof authenticator>[0]['client']['reviewToken']

const user = { username: 'developer', uid: '1', groups: ['staff'] }
const accepted: Review = async () => ({ authenticated: true, user })

function setUp(answer: Review = accepted, audience?: string) {
  let at = 0
  const lines: string[] = []
  const asked: { token: string; audiences: readonly string[] | undefined }[] = []
  const clock: Clock = { ...systemClock, elapsed: () => at, now: () => new Date(at) }
  const authenticate = authenticator({
    client: {
      reviewToken: (token, options) => {
        asked.push({ token, audiences: options?.audiences })
        return answer(token, options)
      },
    },
    clock,
    log: createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' }),
    ...(audience !== undefined && { audience }),
  })
  const advance = (milliseconds: number): void => {
    at += milliseconds
  }
  return { authenticate, asked, lines, advance }
}

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  )
}

test('asks the cluster once for requests at the same time, and again after seconds', async () => {
  const { authenticate, asked, advance } = setUp()
  const all = await Promise.all(Array.from({ length: 20 }, () => authenticate('Bearer t')))
  expect(all.map(({ username }) => username)).toEqual(Array(20).fill('developer'))
  expect(asked).toHaveLength(1)
  advance(9_999)
  await authenticate('Bearer t')
  expect(asked).toHaveLength(1)
  advance(1)
  await authenticate('Bearer t')
  expect(asked).toHaveLength(2)
})

test('keeps tokens apart', async () => {
  const { authenticate } = setUp(async (token) =>
    token === 'good' ? { authenticated: true, user } : { authenticated: false },
  )
  expect(await codeOf(authenticate('Bearer good'))).toBe('ok')
  expect(await codeOf(authenticate('Bearer goo'))).toBe('Unauthenticated')
  expect(await codeOf(authenticate('Bearer good '))).toBe('Unauthenticated')
})

test('a token that expires soon is not remembered beyond that', async () => {
  const { authenticate, asked, advance } = setUp()
  const body = Buffer.from(JSON.stringify({ exp: 3 })).toString('base64url')
  await authenticate(`Bearer head.${body}.signature`)
  advance(2_999)
  await authenticate(`Bearer head.${body}.signature`)
  expect(asked).toHaveLength(1)
  advance(1)
  await authenticate(`Bearer head.${body}.signature`)
  expect(asked).toHaveLength(2)
})

test.each([
  { because: 'for the audience', audiences: ['agents'], code: 'ok' },
  { because: 'for another audience', audiences: ['other'], code: 'Unauthenticated' },
  { because: 'of a server that ignores audiences', audiences: undefined, code: 'Unauthenticated' },
])('a token $because: $code', async ({ audiences, code }) => {
  const answer = { authenticated: true, user, ...(audiences && { audiences }) }
  const { authenticate, asked } = setUp(async () => answer, 'agents')
  expect(await codeOf(authenticate('Bearer t'))).toBe(code)
  expect(asked).toEqual([{ token: 't', audiences: ['agents'] }])
})

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Basic abc',
  'Bearer a b',
  `Bearer ${'x'.repeat(40_000)}`,
])('the header %s is refused without a question to the cluster', async (header) => {
  const { authenticate, asked } = setUp()
  expect(await codeOf(authenticate(header))).toBe('Unauthenticated')
  expect(asked).toEqual([])
})

test('a failed review is an outage, not a refusal, and is not remembered', async () => {
  let isUp = false
  const { authenticate, lines } = setUp(async () => {
    if (!isUp) throw new Error('no answer')
    return { authenticated: true, user }
  })
  expect(await codeOf(authenticate('Bearer secret-token'))).toBe('Unavailable')
  isUp = true
  expect(await codeOf(authenticate('Bearer secret-token'))).toBe('ok')
  expect(lines.join('\n')).not.toContain('secret-token')
})

test('strangers cannot flood the cluster with reviews', async () => {
  const never = new Promise<never>(() => undefined)
  const { authenticate, asked } = setUp(() => never)
  const calls = Array.from({ length: 100 }, (_, index) => codeOf(authenticate(`Bearer ${index}`)))
  const refused = await Promise.race([Promise.all(calls.slice(64)), never])
  expect(new Set(refused)).toEqual(new Set(['TooManyRequests']))
  expect(asked).toHaveLength(64)
})

test('a caller shows its token neither in JSON nor in a log', async () => {
  const { authenticate } = setUp()
  const caller = await authenticate('Bearer very-secret')
  expect(caller.authorization()).toBe('Bearer very-secret')
  expect(JSON.stringify(caller) + inspect(caller, { depth: 9, showHidden: true })).not.toContain(
    'very-secret',
  )
})
