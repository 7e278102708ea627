import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shimScript } from './shim.ts'

describe('the last output of a command', () => {
  test.each([
    { because: 'the node has ended', script: 'echo last; exit 6' },
    {
      because: 'the node has ended, and a background process of the command still runs',
      script: 'sleep 600 & echo last; exit 6',
    },
  ])('is saved if $because', async ({ script }) => {
    const shim = await start(script)
    shim.socket.destroy()
    expect(await shim.exitCode()).toBe('6\n')
    expect(await shim.rest()).toBe('last\n')
  })

  test('is saved if the connection ends before the exit is acknowledged', async () => {
    const shim = await start('echo last; exit 6')
    shim.socket.write('go\n')
    expect(await shim.nextWord()).toBe('exit\n')
    shim.socket.destroy()
    expect(await shim.exitCode()).toBe('6\n')
    expect(await shim.rest()).toBe('last\n')
  })

  test('is left to a node that is connected', async () => {
    const shim = await start('echo last; exit 6')
    shim.socket.write('go\n')
    expect(await shim.nextWord()).toBe('exit\n')
    shim.socket.write('ok\n')
    expect(await shim.exitCode()).toBe('6\n')
    expect(await shim.rest()).toBeUndefined()
  })
})

test.each([
  { because: 'before the start of its command is delivered', isTold: true, exitCode: '143\n' },
  { because: 'that was not sent has no effect', isTold: false, exitCode: '6\n' },
])('a SIGTERM $because', async ({ isTold, exitCode }) => {
  const shim = await start('exit 6')
  if (isTold) shim.terminate()
  shim.socket.write('go\n')
  expect(await shim.nextWord()).toBe('exit\n')
  shim.socket.write('ok\n')
  expect(await shim.exitCode()).toBe(exitCode)
})

async function start(script: string) {
  const folder = await mkdtemp(join(tmpdir(), 'agents-shim-'))
  const command = ['/bin/sh', '-c', script]
  const shim = spawn('/bin/sh', ['-c', shimScript, 'sh', folder, ...command], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const ended = once(shim, 'exit')
  const socket = shim.stdio[3] as Socket
  const words = socket[Symbol.asyncIterator]()
  const nextWord = async (): Promise<string> => String((await words.next()).value)
  onTestFinished(async () => {
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  expect(await nextWord()).toBe('ready\n')
  return {
    socket,
    nextWord,
    terminate: () => process.kill(-Number(shim.pid), 'SIGTERM'),
    /** The recorded exit code after the shim has ended. */
    exitCode: async () => {
      await ended
      return readFile(join(folder, 'exit'), 'utf8')
    },
    rest: async () => {
      const path = join(folder, 'rest')
      return existsSync(path) ? readFile(path, 'utf8') : undefined
    },
  }
}
