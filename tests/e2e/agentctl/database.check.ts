import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'

let platform: LocalPlatform
beforeAll(async () => {
  platform = await startPlatformIn({})
}, 300_000)
afterAll(() => platform.remove(), 120_000)

const scripted = ['run', '--agent', 'scripted', '--text', 'x', '-p', 'scriptedMode=succeed']

test('a killed database is restarted, runs that finished meanwhile are archived, and doctor reports both states', async () => {
  const folder = join(platform.stateDir, 'postgres')
  const data = join(folder, 'data')
  await until(async () => (await doctor()).includes('finished runs are archived'))
  await until(async () => (await archived()).includes('first-run'))

  const [pid = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
  // Without its data directory it cannot be restarted, which leaves time for the checks.
  await rename(data, `${data}.away`)
  process.kill(Number(pid), 'SIGKILL')
  await until(async () =>
    (await doctor()).includes('PostgreSQL has stopped and is being restarted'),
  )
  expect((await platform.agentctl('doctor')).code).toBe(1)
  expect((await platform.agentctl(...scripted, '--name', 'meanwhile')).code).toBe(0)

  await rename(`${data}.away`, data)
  await until(async () => (await doctor()).includes('finished runs are archived'))
  await until(async () => (await archived()).includes('meanwhile'))
  expect((await platform.agentctl(...scripted, '--name', 'after')).code).toBe(0)
  await until(async () => (await archived()).includes('after'))
  expect((await platform.agentctl('doctor')).code).toBe(0)

  async function archived(): Promise<string[]> {
    const lock = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
    const port = Number(lock.split('\n')[3])
    const password = await readFile(join(folder, 'password'), 'utf8')
    const login = { host: '127.0.0.1', port, user: 'agents', database: 'agents', password }
    const client = new Client(login)
    try {
      await client.connect()
      return (await client.query<{ name: string }>(names)).rows.map(({ name }) => name)
    } catch {
      return []
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}, 400_000)

const names = 'select name from run_archive'

async function doctor(): Promise<string> {
  return (await platform.agentctl('doctor')).stdout
}
