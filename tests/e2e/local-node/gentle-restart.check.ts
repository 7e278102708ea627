import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { JobKind, PodKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  inDefault,
  isFinished,
  isOver,
  jobOf,
  logOf,
  type Platform,
  podOf,
  startPlatform,
  untilFile,
  untilObject,
} from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

test('a container keeps running while the node restarts, and none of its output is lost', async () => {
  const { client, stateDir } = platform
  const enough = join(stateDir, 'enough')
  // It prints continuously until the node has restarted twice.
  const script = `i=0; until [ -e ${enough} ]; do echo $i; i=$((i+1)); sleep 0.03; done; echo $i`
  await client.create(PodKind, podOf({ name: 'runs-on', script }))
  await untilObject(client, PodKind, inDefault('runs-on'), (pod) => pod.status?.phase === 'Running')
  await platform.restartNode()
  await platform.restartNode()
  await writeFile(enough, '')
  const pod = await untilObject(client, PodKind, inDefault('runs-on'), isOver)
  expect(pod.status).toMatchObject({ phase: 'Succeeded' })
  const lines = (await logOf(client, 'runs-on')).split('\n')
  expect(lines.pop()).toBe('')
  expect(lines).toEqual(lines.map((_, index) => `${index}`))
})

test('a Job that finished while the node was down is complete, and ran once', async () => {
  const { client, stateDir } = platform
  const trace = join(stateDir, 'once')
  const [go, over] = [join(stateDir, 'go'), join(stateDir, 'over')]
  const script = `echo ran >> ${trace}; ${untilFile(go)}; touch ${over}`
  await client.create(JobKind, jobOf('away', script))
  await untilObject(client, JobKind, inDefault('away'), ({ status }) => status?.ready === 1)
  await platform.restartNode(async () => {
    await writeFile(go, '')
    await until(async () => (existsSync(over) ? true : undefined), 'waited in vain for: its end')
  })
  const job = await untilObject(client, JobKind, inDefault('away'), isFinished)
  expect(job.status).toMatchObject({ succeeded: 1 })
  expect(await readFile(trace, 'utf8')).toBe('ran\n')
})
