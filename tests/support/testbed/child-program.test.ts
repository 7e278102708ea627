import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildProgram, startProgram } from './child-program.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-program-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function start(script: string): Promise<ChildProgram> {
  const logPath = join(directory, `${Math.random()}.log`)
  const program = await startProgram('node', process.execPath, ['--eval', script], logPath)
  await expect.poll(() => program.logTail(), { timeout: 50_000 }).toContain('up')
  return program
}

const forever = 'console.log("up"); setInterval(() => {}, 1000);'

test.each([
  {
    because: 'a program that handles the signal is not killed',
    script: forever,
    graceMs: 50_000,
    ending: 'exited with SIGTERM',
  },
  {
    because: 'a program that ignores the signal is killed',
    script: `process.on("SIGTERM", () => {}); ${forever}`,
    graceMs: 300,
    ending: 'exited with SIGKILL',
  },
])('$because', async ({ script, graceMs, ending }) => {
  const program = await start(script)
  expect(program.exited()).toBeUndefined()
  await program.stop('SIGTERM', graceMs)
  expect(program.exited()).toBe(ending)
  await program.stop()
})

test('a program that exits by itself reports its exit code and the last lines of its log', async () => {
  const program = await start('console.log("up"); console.error("no luck"); process.exitCode = 3')
  await expect.poll(() => program.exited(), { timeout: 50_000 }).toBe('exited with code 3')
  expect(await program.logTail(1)).toBe('no luck')
})

test('a program that does not exist is reported as an exit too', async () => {
  const logPath = join(directory, 'missing.log')
  const program = await startProgram('missing', join(directory, 'missing'), [], logPath)
  await expect.poll(() => program.exited(), { timeout: 50_000 }).toContain('could not start')
  await program.stop()
})
