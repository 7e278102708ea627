import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connection } from '../git-process/connection.ts'
import { BareRemote } from '../testing/bare-remote.ts'
import { HttpRemote } from '../testing/http-remote.ts'
import { checkWriteAccess } from './check-write-access.ts'

let remote: BareRemote
let server: HttpRemote
beforeAll(async () => {
  remote = await BareRemote.create()
  server = new HttpRemote(remote.path)
  server.authorization = `Basic ${Buffer.from('robot:right-password').toString('base64')}`
  await server.start()
})
afterAll(async () => {
  await server.stop()
  await remote.remove()
})

async function check(password?: string): Promise<string> {
  const credentials =
    password === undefined
      ? { kind: 'none' as const }
      : { kind: 'basic' as const, username: 'robot', password }
  const connection: Connection = { url: server.url, credentials, allow: { loopbackHttp: true } }
  const options = { path: '/usr/local/bin:/usr/bin:/bin', timeoutMs: 20_000 }
  try {
    await checkWriteAccess(connection, { ...options, signal: AbortSignal.timeout(20_000) })
    return 'granted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a private repository grants it to the right password only', async () => {
  expect(await check('right-password')).toBe('granted')
  expect(await check('wrong-password')).toBe('auth')
  expect(await check()).toBe('auth')
})

test('who may only read a public repository is not granted it', async () => {
  server.isPublic = true
  expect(await check()).toBe('auth')
  expect(await check('wrong-password')).toBe('auth')
  expect(await check('right-password')).toBe('granted')
})

test('nothing is written, in an empty repository or beside a branch with other work', async () => {
  expect(await remote.git('for-each-ref')).toBe('')
  await remote.commit('main', { file: 'theirs' })
  const before = await remote.git('for-each-ref')
  expect(await check('right-password')).toBe('granted')
  expect(await remote.git('for-each-ref')).toBe(before)
})
