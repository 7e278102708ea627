import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withProcessLock } from './process-lock.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-lock-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('a holder that is killed does not block the next one', { timeout: 60_000 }, async () => {
  const path = join(directory, 'lock.sqlite')
  const program = `
    import { withProcessLock } from ${JSON.stringify(join(import.meta.dirname, 'process-lock.ts'))}
    await withProcessLock(${JSON.stringify(path)}, () => {}, async () => {
      process.stdout.write('held')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program])
  await once(holder.stdout, 'data')

  const events: string[] = []
  await withProcessLock(
    path,
    () => {
      events.push('waited')
      holder.kill('SIGKILL')
    },
    async () => {
      events.push('worked')
    },
  )
  expect(events).toEqual(['waited', 'worked'])
})

test('the lock is free again after work that throws', async () => {
  const path = join(directory, 'throwing.sqlite')
  const refuse = (): never => {
    throw new Error('should not wait')
  }
  const failing = withProcessLock(path, refuse, () => Promise.reject(new Error('broken')))
  await expect(failing).rejects.toThrow('broken')
  await expect(withProcessLock(path, refuse, () => Promise.resolve('done'))).resolves.toBe('done')
})
