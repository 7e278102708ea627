import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Kubectl, type KubectlVersion, kubectlFor } from './kubectl.ts'
import {
  inDefault,
  isOver,
  logOf,
  type Platform,
  podOf,
  startPlatform,
  untilObject,
} from './platform.ts'

const ways: readonly { version: KubectlVersion; spdy: boolean; protocol: string }[] = [
  { version: '1.32', spdy: false, protocol: 'WebSocket' },
  { version: '1.32', spdy: true, protocol: 'SPDY' },
  { version: '1.36', spdy: false, protocol: 'WebSocket' },
  { version: '1.36', spdy: true, protocol: 'SPDY' },
]

let platform: Platform
let kubectl: Kubectl
let remove: () => Promise<void>
beforeAll(async () => {
  platform = await startPlatform({ mounts: 'paths' })
  ;({ kubectl, remove } = await kubectlFor(platform.server))
})
afterAll(async () => {
  await platform.stop()
  await remove()
})

async function start(name: string, script: string, fields: object = {}): Promise<void> {
  const command = ['sh', '-c', script]
  const containers = [{ name: 'main', image: 'local', command, ...fields }]
  await platform.client.create(PodKind, podOf({ name, containers }))
  await untilObject(
    platform.client,
    PodKind,
    inDefault(name),
    ({ status }) => status?.phase === 'Running',
  )
}

describe.each(ways)('kubectl $version attaches over $protocol', ({ version, spdy }) => {
  const way = { version, spdy }
  const suffix = `${version.replace('.', '-')}-${spdy ? 'spdy' : 'ws'}`

  test('to the input and the output of a container', async () => {
    const name = `reads-${suffix}`
    await start(name, 'while read -r line; do echo "got $line"; done; echo end of input', {
      stdin: true,
      stdinOnce: true,
    })
    const result = await kubectl(['attach', '-i', name], { ...way, stdin: 'one\ntwo\n' })
    expect(result).toMatchObject({ code: 0, timedOut: false })
    expect(result.stdout).toBe('got one\ngot two\nend of input\n')
    const pod = await untilObject(platform.client, PodKind, inDefault(name), isOver)
    expect(pod.status?.phase).toBe('Succeeded')
  })
})

test('input stays open for the next client unless the pod says otherwise', async () => {
  await start('patient', 'while read -r line; do echo "got $line"; done', { stdin: true })
  for (const word of ['one', 'two']) {
    const stop = new AbortController()
    const result = await kubectl(['attach', '-i', 'patient'], {
      stdin: `${word}\n`,
      signal: stop.signal,
      onStdout: (text) => text.includes(`got ${word}`) && stop.abort(),
    })
    expect(result.stdout).toBe(`got ${word}\n`)
  }
  const pod = await platform.client.get(PodKind, inDefault('patient'))
  expect(pod.status?.phase).toBe('Running')
  expect(await logOf(platform.client, 'patient')).toBe('got one\ngot two\n')
})

test('a container without input ignores that of its clients', async () => {
  const untilGo = 'until [ -e go ]; do echo waiting; sleep 0.05; done'
  await start('deaf', `cat; ${untilGo}; echo done`)
  const isAttached = Promise.withResolvers<void>()
  const attached = kubectl(['attach', '-i', 'deaf'], {
    stdin: 'ignored\n',
    onStdout: () => isAttached.resolve(),
  })
  await isAttached.promise
  expect(await kubectl(['exec', 'deaf', '--', 'touch', 'go'])).toMatchObject({ code: 0 })
  const { code, stdout } = await attached
  expect(code).toBe(0)
  expect(stdout).toMatch(/^(waiting\n)+done\n$/)
  expect(await logOf(platform.client, 'deaf')).not.toContain('ignored')
})

test.each(ways)('kubectl $version copies files over $protocol', async ({ version, spdy }) => {
  const name = `files-${version.replace('.', '-')}-${spdy ? 'spdy' : 'ws'}`
  await start(name, 'exec sleep 600')
  const folder = await mkdtemp(join(tmpdir(), 'agents-cp-'))
  try {
    const content = 'line\n'.repeat(100_000)
    await writeFile(join(folder, 'there'), content)
    const root = (await kubectl(['exec', name, '--', 'pwd'])).stdout.trim()
    const way = { version, spdy, cwd: folder }
    expect(await kubectl(['cp', 'there', `${name}:${root}/copy`], way)).toMatchObject({ code: 0 })
    expect(await kubectl(['cp', `${name}:${root}/copy`, 'back'], way)).toMatchObject({ code: 0 })
    expect(await readFile(join(folder, 'back'), 'utf8')).toBe(content)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
