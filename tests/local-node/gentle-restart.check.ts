import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { JobKind, PodKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  inDefault,
  isFinished,
  isOver,
  jobOf,
  logOf,
  type Platform,
  podOf,
  startPlatform,
  untilObject,
} from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

test('what runs, runs on while the node is away, and nothing that it says is lost', async () => {
  const { client } = platform
  const script = 'i=0; while [ $i -lt 60 ]; do echo $i; i=$((i+1)); sleep 0.03; done'
  await client.create(PodKind, podOf({ name: 'runs-on', script }))
  await untilObject(client, PodKind, inDefault('runs-on'), (pod) => pod.status?.phase === 'Running')
  await platform.restartNode()
  await platform.restartNode()
  const pod = await untilObject(client, PodKind, inDefault('runs-on'), isOver)
  expect(pod.status).toMatchObject({ phase: 'Succeeded' })
  expect(await logOf(client, 'runs-on')).toBe(
    Array.from({ length: 60 }, (_, index) => `${index}\n`).join(''),
  )
})

test('a Job that ended while the node was away is complete, and ran once', async () => {
  const { client, stateDir } = platform
  const trace = join(stateDir, 'once')
  await client.create(JobKind, jobOf('away', `echo ran >> ${trace}; sleep 0.5`))
  await untilObject(client, JobKind, inDefault('away'), ({ status }) => status?.ready === 1)
  await platform.restartNode()
  const job = await untilObject(client, JobKind, inDefault('away'), isFinished)
  expect(job.status).toMatchObject({ succeeded: 1 })
  expect(await readFile(trace, 'utf8')).toBe('ran\n')
})
