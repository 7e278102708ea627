import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@agents/log'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from './start-postgres.ts'

/** A database is made, which takes a busy machine its time. */
const patience = { timeout: 240_000 }

test(
  'keeps its data from one start to the next, and its password to itself',
  patience,
  async () => {
    const directory = await freshFolder()
    const lines: string[] = []
    const log = createLogger({ sink: { write: (line) => void lines.push(line) }, level: 'debug' })

    const first = await startPostgres({ directory, log })
    await query(first.url, 'create table kept (n int)')
    await query(first.url, 'insert into kept values (7)')
    await first.stop()
    await expect(query(first.url, 'select 1')).rejects.toThrow()

    const second = await startPostgres({ directory, log })
    onTestFinished(() => second.stop())
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }])
    expect(await query(second.url, 'show server_version')).toEqual([
      { server_version: expect.stringMatching(/^18\./) },
    ])
    const password = await readFile(join(directory, 'password'), 'utf8')
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600)
    expect(lines.join('\n')).not.toContain(password)
    const stranger = second.url.replace(password, 'guess')
    await expect(query(stranger, 'select 1')).rejects.toThrow('password authentication failed')
  },
)

test('takes over from a process that was killed', patience, async () => {
  const directory = await freshFolder()
  const log = createLogger({ sink: { write: () => undefined }, level: 'error' })
  const abandoned = await startPostgres({ directory, log })
  await query(abandoned.url, 'create table kept (n int)')

  const successor = await startPostgres({ directory, log })
  onTestFinished(() => successor.stop())
  expect(await query(successor.url, 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
  await expect(query(abandoned.url, 'select 1')).rejects.toThrow()
})

test('begins again where an initialisation was cut off', patience, async () => {
  const directory = await freshFolder()
  const log = createLogger({ sink: { write: () => undefined }, level: 'error' })
  const whole = await startPostgres({ directory, log })
  await whole.stop()
  await rename(join(directory, 'data'), join(directory, 'data.new'))

  const again = await startPostgres({ directory, log })
  onTestFinished(() => again.stop())
  expect(await query(again.url, 'select 1 as n')).toEqual([{ n: 1 }])
  expect((await readdir(directory)).toSorted()).toEqual(['data', 'password'])
})

async function freshFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-postgres-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
