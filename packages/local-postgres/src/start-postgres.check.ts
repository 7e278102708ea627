import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createLogger, silentLogger } from '@agents/log'
import { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from './start-postgres.ts'

/** Creating a database takes long on a busy machine. */
const pollOptions = { timeout: 240_000 }

test('keeps its data across restarts, and does not log its password', pollOptions, async () => {
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
})

test('takes over from a process that was killed', pollOptions, async () => {
  const directory = await freshFolder()
  const log = silentLogger
  const abandoned = await startPostgres({ directory, log, restart: false })
  await query(abandoned.url, 'create table kept (n int)')

  const successor = await startPostgres({ directory, log })
  onTestFinished(() => successor.stop())
  expect(await query(successor.url, 'select count(*)::int as n from kept')).toEqual([{ n: 0 }])
  await expect(query(abandoned.url, 'select 1')).rejects.toThrow()
})

test('repeats an interrupted initialisation', pollOptions, async () => {
  const directory = await freshFolder()
  const log = silentLogger
  const whole = await startPostgres({ directory, log })
  await whole.stop()
  await rename(join(directory, 'data'), join(directory, 'data.new'))

  const again = await startPostgres({ directory, log })
  onTestFinished(() => again.stop())
  expect(await query(again.url, 'select 1 as n')).toEqual([{ n: 1 }])
  expect((await readdir(directory)).toSorted()).toEqual(['data', 'password'])
})

test('is restarted at the same address after it was killed', pollOptions, async () => {
  const directory = await freshFolder()
  const log = silentLogger
  const ends: string[] = []
  let back = Promise.withResolvers<void>()
  const postgres = await startPostgres({
    directory,
    log,
    onEnd: ({ message }) => ends.push(message),
    onRestart: () => back.resolve(),
  })
  onTestFinished(() => postgres.stop())
  await query(postgres.url, 'create table kept (n int)')
  for (const round of [1, 2]) {
    back = Promise.withResolvers<void>()
    const { pid = 0 } = postgres
    process.kill(pid, 'SIGKILL')
    await back.promise
    expect(postgres.pid).not.toBe(pid)
    await query(postgres.url, `insert into kept values (${round})`)
  }
  expect(await query(postgres.url, 'select n from kept order by n')).toEqual([{ n: 1 }, { n: 2 }])
  expect(ends).toEqual(Array(2).fill('PostgreSQL exited unexpectedly with SIGKILL'))
})

test('can be stopped while it waits for a restart', pollOptions, async () => {
  const directory = await freshFolder()
  const log = silentLogger
  const ended = Promise.withResolvers<void>()
  const postgres = await startPostgres({ directory, log, onEnd: () => ended.resolve() })
  process.kill(postgres.pid ?? 0, 'SIGKILL')
  await ended.promise
  expect(postgres.pid).toBeUndefined()
  await postgres.stop()
  await expect(query(postgres.url, 'select 1')).rejects.toThrow()
})

test('is stopped when the process that started it is killed', pollOptions, async () => {
  const directory = await freshFolder()
  const program = `
    import { silentLogger } from '@agents/log'
    import { startPostgres } from '${join(import.meta.dirname, 'start-postgres.ts')}'
    const { pid, url } = await startPostgres({ directory: process.argv[1], log: silentLogger })
    console.log(JSON.stringify({ pid, url }))
    setInterval(() => undefined, 1000)`
  const flags = ['--input-type=module', '--eval', program, directory]
  const starter = spawn(process.execPath, flags, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void starter.kill('SIGKILL'))
  const [line] = await once(createInterface(starter.stdout), 'line')
  const { pid, url } = JSON.parse(line) as { pid: number; url: string }
  expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }])
  starter.kill('SIGKILL')
  await vi.waitUntil(() => !isRunning(pid), { timeout: 240_000, interval: 100 })
  // It was not merely killed: a server that stops in order removes its lock file.
  expect(await readdir(join(directory, 'data'))).not.toContain('postmaster.pid')
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

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
