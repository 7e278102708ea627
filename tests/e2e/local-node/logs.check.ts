import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  inDefault,
  isOver,
  logOf,
  type Platform,
  podOf,
  runPod,
  startPlatform,
  untilFile,
  untilObject,
} from './platform.ts'

const maxBytes = 64 * 1024

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({
    mounts: 'paths',
    logLimits: { maxBytes, maxFiles: 3, bytesPerSecond: 64 * 1024 * 1024 },
  })
})
afterAll(() => platform.stop())

describe('the log of a container', () => {
  beforeAll(async () => {
    const script = 'echo one; echo two >&2; printf "three\\nfo"; sleep 0.2; printf ur'
    await runPod(platform.client, { name: 'talks', script })
  })

  test.each([
    {
      because: 'is all that it said, in order',
      options: {},
      expectedOutput: 'one\ntwo\nthree\nfour',
    },
    {
      because: 'can be asked for its end',
      options: { tailLines: 2 },
      expectedOutput: 'three\nfour',
    },
    {
      because: 'has no more lines than there are',
      options: { tailLines: 9 },
      expectedOutput: 'one\ntwo\nthree\nfour',
    },
    { because: 'may be asked for nothing', options: { tailLines: 0 }, expectedOutput: '' },
    { because: 'is cut after so many bytes', options: { limitBytes: 5 }, expectedOutput: 'one\nt' },
    {
      because: 'can be limited to the last hour',
      options: { sinceSeconds: 3600 },
      expectedOutput: 'one\ntwo\nthree\nfour',
    },
    {
      because: 'of a container that has ended can be followed to its end',
      options: { follow: true },
      expectedOutput: 'one\ntwo\nthree\nfour',
    },
  ])('$because', async ({ options, expectedOutput }) => {
    expect(await logOf(platform.client, 'talks', options)).toBe(expectedOutput)
  })

  test('of a previous attempt that does not exist is an error', async () => {
    await expect(logOf(platform.client, 'talks', { previous: true })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(
        'previous terminated container "main" in pod "talks" not found',
      ),
    })
  })

  test('excludes lines that are older than requested', async () => {
    const sinceTime = new Date(Date.now() + 60_000).toISOString()
    expect(await logOf(platform.client, 'talks', { sinceTime })).toBe('')
  })

  test('has a timestamp for each line', async () => {
    const lines = (await logOf(platform.client, 'talks', { timestamps: true })).split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines)
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z [a-z]+$/)
  })
})

test('a log is followed while it grows', async () => {
  const { client, stateDir } = platform
  const heard = join(stateDir, 'heard')
  const script = `echo 1; ${untilFile(heard)}; echo 2; echo 3`
  await client.create(PodKind, podOf({ name: 'grows', script }))
  const stream = await client.podLog(inDefault('grows'), { follow: true })
  const seen: { line: string; isOver: boolean }[] = []
  for await (const line of stream.lines()) {
    seen.push({ line, isOver: isOver(await client.get(PodKind, inDefault('grows'))) })
    await writeFile(heard, '')
  }
  expect(seen.map(({ line }) => line)).toEqual(['1', '2', '3'])
  expect(seen[0]?.isOver).toBe(false)
})

test('a follower that disconnects does not affect the container', async () => {
  const { client } = platform
  await client.create(PodKind, podOf({ name: 'left-alone', script: 'echo up; sleep 1; echo done' }))
  const stream = await client.podLog(inDefault('left-alone'), { follow: true })
  for await (const line of stream.lines()) {
    expect(line).toBe('up')
    stream.close()
    break
  }
  const pod = await untilObject(client, PodKind, inDefault('left-alone'), isOver)
  expect(pod.status?.phase).toBe('Succeeded')
})

test('the log of the previous attempt is kept', async () => {
  const { client } = platform
  const script = 'echo attempt; [ -e again ] && exec sleep 30; touch again; echo first; exit 1'
  await client.create(PodKind, podOf({ name: 'again', script, restartPolicy: 'OnFailure' }))
  await untilObject(client, PodKind, inDefault('again'), ({ status }) => {
    const [main] = status?.containerStatuses ?? []
    return main?.restartCount === 1 && main.state?.running !== undefined
  })
  expect(await logOf(client, 'again', { previous: true })).toBe('attempt\nfirst\n')
  await until(
    async () => ((await logOf(client, 'again')) === 'attempt\n' ? true : undefined),
    'waited in vain for: the second log',
  )
})

test('the log of a container with too much output is truncated to its end', async () => {
  const { client, stateDir } = platform
  const script = 'i=0; while [ $i -lt 20000 ]; do echo "line $i of many"; i=$((i+1)); done'
  const pod = await runPod(client, { name: 'chatty', script })
  expect(pod.status?.phase).toBe('Succeeded')
  const folder = join(stateDir, 'pods', pod.metadata.uid ?? '', 'containers', 'main', '0')
  const files = (await readdir(folder)).filter((name) => name.startsWith('log.'))
  expect(files.length).toBeLessThanOrEqual(3)
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size))
  // A file may exceed the limit by the size of one read.
  for (const size of sizes) expect(size).toBeLessThan(maxBytes + 512 * 1024)
  expect(await logOf(client, 'chatty', { tailLines: 1 })).toBe('line 19999 of many\n')
  const tail = (await logOf(client, 'chatty', { tailLines: 300 })).trimEnd().split('\n')
  expect(tail).toEqual(Array.from({ length: 300 }, (_, i) => `line ${19700 + i} of many`))
})

test('a very long line is split internally, and returned in one piece', async () => {
  const script = 'head -c 100000 /dev/zero | tr "\\0" x; echo; echo end'
  await runPod(platform.client, { name: 'long-line', script })
  expect(await logOf(platform.client, 'long-line')).toBe(`${'x'.repeat(100_000)}\nend\n`)
})

test('binary output is returned unchanged', async () => {
  const { client } = platform
  await runPod(client, { name: 'bytes', script: 'printf "\\377\\000\\r\\n\\200"' })
  const stream = await client.podLog(inDefault('bytes'))
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  expect([...Buffer.concat(pieces)]).toEqual([0xff, 0, 0x0d, 0x0a, 0x80])
})

test('a container that prints without end is throttled and can be stopped', async () => {
  const { client } = platform
  await client.create(PodKind, podOf({ name: 'endless', script: 'yes' }))
  await untilObject(
    client,
    PodKind,
    inDefault('endless'),
    ({ status }) => status?.phase === 'Running',
  )
  const beside = await runPod(client, { name: 'beside', script: 'echo still here' })
  expect(beside.status?.phase).toBe('Succeeded')
  await client.delete(PodKind, inDefault('endless'))
  await until(
    () =>
      client.get(PodKind, inDefault('endless')).then(
        () => undefined,
        () => true,
      ),
    'waited in vain for: gone',
  )
})
