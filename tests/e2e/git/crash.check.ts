import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { commandLinesWith } from '../../../packages/git/src/testing/secret-scan.ts'
import { changeSet, testWorker } from '../../../packages/git/src/testing/test-worker.ts'
import { isFull } from '../../support/tier.ts'

const run = promisify(execFile)

let remote: BareRemote
let directory: string

beforeEach(async () => {
  remote = await BareRemote.create()
  directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
})

afterEach(async () => {
  await remote.remove()
  await rm(directory, { recursive: true, force: true })
})

describe('killed with SIGKILL', () => {
  const files = 8

  /** Returns the lines that the child printed as confirmed before it was killed or exited. */
  const mirror = async (killAfterMs: number | undefined): Promise<string[]> => {
    const program = join(import.meta.dirname, 'kill-child.ts')
    const args = [program, remote.url, join(directory, 'worker'), String(files)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    if (killAfterMs !== undefined) {
      await vi.waitFor(() => expect(output).not.toBe(''), { timeout: 120_000, interval: 5 })
      await delay(killAfterMs)
      child.kill('SIGKILL')
    }
    await ended
    return output.split('\n').filter((line) => line !== '')
  }

  test.each([
    { because: 'in a small folder', others: 0, points: isFull ? 12 : 3 },
    { because: 'in a large folder', others: 2_000, points: isFull ? 6 : 1 },
  ])(
    'at many points, $because: confirmed changes exist, and a restart loses and repeats nothing',
    {
      timeout: 900_000,
    },
    async ({ others, points }) => {
      const theirs = Array.from({ length: others }, (_none, index) => [
        `folder/other-${index}`,
        'x',
      ])
      for (let point = 0; point < points; point += 1) {
        await remote.init()
        if (others > 0) await remote.commit('main', Object.fromEntries(theirs))
        const confirmed = await mirror(point * 15)
        for (const line of confirmed) {
          const [index, commit = ''] = line.split(' ')
          expect(await remote.git('show', `${commit}:folder/${index}`)).toBe(index)
          await remote.git('merge-base', '--is-ancestor', commit, 'main')
        }
        // A push that the killed process had started may still be running.
        await vi.waitFor(async () => expect(await commandLinesWith([remote.path])).toEqual([]), {
          timeout: 120_000,
          interval: 50,
        })
        await mirror(undefined)
        const messages = await remote.messages('main')
        const writes = Array.from({ length: files }, (_none, index) => `write ${files - index}`)
        expect(messages).toEqual(others > 0 ? [...writes, 'theirs'] : writes)
        await remote.git('fsck', '--strict')
      }
    },
  )
})

describe('a full disk', () => {
  const mounted = async (): Promise<string | undefined> => {
    const place = join(directory, 'small')
    await mkdir(place)
    const done = await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place]).then(
      () => true,
      () => false,
    )
    return done ? place : undefined
  }

  test('is reported and retried, and nothing is lost', async ({ skip }) => {
    const place = await mounted()
    if (place === undefined) {
      process.stderr.write('SKIPPED: no small file system can be mounted here\n')
      return skip()
    }
    const filler = join(place, 'filler')
    await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k', 'count=1900']).catch(() => undefined)
    const { worker } = testWorker({
      connection: { url: remote.url, credentials: { kind: 'none' }, allow: { file: true } },
      directory: join(place, 'worker'),
    })
    try {
      // Random, so that it does not compress.
      const large = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join('\n')
      const confirmed = worker.apply(changeSet({ large, small: '1' }))
      await vi.waitFor(() => expect(worker.state.lastError?.code).toBe('disk-full'), {
        timeout: 120_000,
      })
      expect(worker.state.pendingChanges).toBe(2)
      await rm(filler)
      await confirmed
      expect(await remote.git('show', 'main:large')).toBe(large)
    } finally {
      await worker.close()
      await run('umount', [place])
    }
  })
})
