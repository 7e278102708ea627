import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const parent = `
  const { exitOnSignals } = await import(${JSON.stringify(join(import.meta.dirname, 'exit-on-signals.ts'))})
  const { startProgram } = await import(${JSON.stringify(join(import.meta.dirname, 'child-program.ts'))})
  exitOnSignals()
  const [log] = process.argv.slice(1)
  const program = await startProgram('node', process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], log)
  console.log(program.pid)
  setInterval(() => {}, 1000)
`

test.each([
  { because: 'a key pressed in a terminal', signal: 'SIGINT', code: 130 },
  { because: 'whoever runs it in the background', signal: 'SIGTERM', code: 143 },
  { because: 'a terminal that is closed', signal: 'SIGHUP', code: 129 },
] as const)('$because ends its programs too', async ({ signal, code }) => {
  const directory = await mkdtemp(join(tmpdir(), 'agents-signals-'))
  const args = ['--input-type=module', '--eval', parent, join(directory, 'program.log')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = await new Promise<number>((resolve) => {
    child.stdout.once('data', (line: Buffer) => resolve(Number(line)))
  })
  expect(isAlive(pid)).toBe(true)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  expect(await ended).toBe(code)
  await expect.poll(() => isAlive(pid), { timeout: 50_000 }).toBe(false)
  await rm(directory, { recursive: true })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
