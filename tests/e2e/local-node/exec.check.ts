import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { type Kubectl, type KubectlVersion, kubectlFor } from './kubectl.ts'
import { mountModes } from './mount-modes.ts'
import { inDefault, type Platform, podOf, startPlatform, untilObject } from './platform.ts'

const ways: readonly { version: KubectlVersion; spdy: boolean; protocol: string }[] = [
  { version: '1.32', spdy: false, protocol: 'WebSocket' },
  { version: '1.32', spdy: true, protocol: 'SPDY' },
  { version: '1.36', spdy: false, protocol: 'WebSocket' },
  { version: '1.36', spdy: true, protocol: 'SPDY' },
]

describe.each(mountModes)('with %s', (mounts) => {
  let platform: Platform
  let kubectl: Kubectl
  let remove: () => Promise<void>
  beforeAll(async () => {
    platform = await startPlatform({ mounts })
    ;({ kubectl, remove } = await kubectlFor(platform.server))
    const script = 'echo up; exec sleep 600'
    const env = [{ name: 'COLOUR', value: "it's blue" }]
    const mount = { name: 'work', mountPath: '/workspace' }
    await platform.client.create(
      PodKind,
      podOf({
        name: 'target',
        volumes: [{ name: 'work', emptyDir: {} }],
        containers: [
          {
            name: 'main',
            image: 'local',
            command: ['sh', '-c', script],
            env,
            workingDir: '/workspace',
            volumeMounts: [mount],
          },
        ],
      }),
    )
    await untilObject(
      platform.client,
      PodKind,
      inDefault('target'),
      ({ status }) => status?.phase === 'Running',
    )
  })
  afterAll(async () => {
    await platform.stop()
    await remove()
  })

  test('gives a command a terminal of the size of the client', async () => {
    const command = await platform.client.podExec(inDefault('target'), {
      container: 'main',
      command: ['sh', '-c', 'until [ "$(stty size)" = "33 99" ]; do sleep 0.05; done; tty; exit 5'],
      stdin: true,
      tty: true,
    })
    command.resize({ width: 99, height: 33 })
    let output = ''
    command.stdout.on('data', (chunk) => {
      output += chunk
    })
    expect(await command.ended).toMatchObject({ exitCode: 5 })
    expect(output).toMatch(/^\/dev\/pts\/\d+\r\n$/)
  })

  test('joins a container that an earlier node started', async () => {
    await platform.restartNode()
    // The new node adopts its containers after it has started.
    await until(async () => {
      const { stdout } = await kubectl(['exec', 'target', '--', 'sh', '-c', 'echo "$COLOUR"'])
      return stdout === "it's blue\n" ? true : undefined
    }, 'waited in vain for: the environment of the container')
  })

  describe.each(ways)('kubectl $version over $protocol', ({ version, spdy }) => {
    const way = { version, spdy }

    test('runs a command with the environment, the directory and the volumes of the container', async () => {
      const script = 'echo "$COLOUR"; echo error >&2; echo mine >file; cat file; exit 7'
      const result = await kubectl(['exec', 'target', '--', 'sh', '-c', script], way)
      expect(result).toMatchObject({ code: 7, stdout: "it's blue\nmine\n" })
      expect(result.stderr).toBe('error\ncommand terminated with exit code 7\n')
    })

    test('passes input on, and its end', async () => {
      const stdin = 'x'.repeat(3_000_000)
      const result = await kubectl(['exec', '-i', 'target', '--', 'wc', '-c'], { ...way, stdin })
      expect(result).toMatchObject({ code: 0, stdout: '3000000\n' })
    })

    test('returns all output', async () => {
      const script = 'head -c 5000000 /dev/zero | tr "\\0" y'
      const result = await kubectl(['exec', 'target', '--', 'sh', '-c', script], way)
      expect(result.code).toBe(0)
      expect(result.stdout).toBe('y'.repeat(5_000_000))
    })

    test('reports a command that does not exist', async () => {
      const result = await kubectl(['exec', 'target', '--', 'no-such-program'], way)
      expect(result.code).toBe(127)
      expect(result.stderr).toContain('no-such-program')
    })

    test('ends the command when the client is killed', async () => {
      const stop = new AbortController()
      const args = ['exec', '-i', 'target', '--', 'sh', '-c', 'echo $$; sleep 1234 & wait']
      let pid = 0
      const running = kubectl(args, {
        ...way,
        signal: stop.signal,
        onStdout: (text) => {
          pid ||= Number.parseInt(text, 10)
        },
      })
      await until(async () => (pid > 0 ? true : undefined), 'waited in vain for: the command')
      expect(isAlive(pid)).toBe(true)
      stop.abort()
      await running
      await until(async () => (isAlive(pid) ? undefined : true), 'waited in vain for: its end')
    })
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
