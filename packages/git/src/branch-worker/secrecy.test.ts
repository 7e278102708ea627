import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test, vi } from 'vitest'
import { BareRemote } from '../testing/bare-remote.ts'
import { HttpRemote } from '../testing/http-remote.ts'
import { commandLinesWith, filesWith } from '../testing/secret-scan.ts'
import { changeSet, testWorker } from '../testing/test-worker.ts'

const linux = process.platform === 'linux'

test.runIf(linux)(
  'a password is in no command line, file, log or error, whether it is taken or not',
  { timeout: 180_000 },
  async () => {
    const password = `hunter2-${Math.random()}`
    const encoded = Buffer.from(`mirror:${password}`).toString('base64')
    const secrets = [password, encoded]
    const remote = await BareRemote.create()
    const http = new HttpRemote(remote.path)
    await http.start()
    const directory = await mkdtemp(join(tmpdir(), 'agents-git-test-'))
    const { worker, log } = testWorker({
      connection: {
        url: http.url,
        credentials: { kind: 'basic', username: 'mirror', password },
        allow: { loopbackHttp: true },
      },
      directory: join(directory, 'worker'),
    })
    try {
      http.authorization = 'nobody'
      const confirmed = worker.apply(changeSet({ a: '1' }))
      await vi.waitFor(() => expect(worker.state.lastError?.code).toBe('auth'), { timeout: 60_000 })
      expect(inspect(worker.state.lastError, { depth: 9, showHidden: true })).not.toContain(
        password,
      )

      const running: string[] = []
      http.authorization = `Basic ${encoded}`
      http.beforePush = async () => {
        // The scan must be able to find something: the process that pushes is running now.
        running.push(...(await commandLinesWith(['git-receive-pack', 'push'])))
        running.push(...(await commandLinesWith(secrets)))
        running.push(...(await filesWith(directory, secrets)))
      }
      await confirmed
      expect(running.some((line) => line.includes('push'))).toBe(true)
      expect(running.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
      expect(running.filter((line) => line.startsWith(directory))).toEqual([])
      expect(await filesWith(directory, secrets)).toEqual([])
      expect(await filesWith(remote.directory, secrets)).toEqual([])
      expect(log.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
    } finally {
      await worker.close()
      await http.stop()
      await remote.remove()
      await rm(directory, { recursive: true, force: true })
    }
  },
)
