import { JobKind, PodKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { isFinished, jobOf, type Platform, startPlatform } from './platform.ts'

const maxPods = 12
/** Many times as many as may run at once. */
const jobCount = isFull ? 200 : 60

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ mounts: 'paths', maxPods })
})
afterAll(() => platform.stop())

test(`${jobCount} concurrent Jobs all finish, and the number of running pods never exceeds the capacity`, {
  timeout: 600_000,
}, async () => {
  const { client } = platform
  const names = Array.from({ length: jobCount }, (_, index) => `burst-${index}`)
  let most = 0
  let isDone = false
  const watching = (async () => {
    while (!isDone) {
      const { items } = await client.list(PodKind)
      const placed = items.filter(
        ({ spec, status }) =>
          (spec.nodeName ?? '') !== '' && !['Succeeded', 'Failed'].includes(status?.phase ?? ''),
      )
      most = Math.max(most, placed.length)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })()
  // Server and node share this process, so that a request may take longer than a client would normally wait.
  const options = { timeoutMs: 550_000 }
  await Promise.all(names.map((name) => client.create(JobKind, jobOf(name, 'sleep 0.05'), options)))
  const jobs = await until(
    async () => {
      const { items } = await client.list(JobKind)
      return items.length === names.length && items.every(isFinished) ? items : undefined
    },
    'waited in vain for: all finished',
    { timeoutMs: 550_000 },
  )
  expect(jobs.map(({ status }) => status?.succeeded)).toEqual(names.map(() => 1))
  isDone = true
  await watching
  expect(most).toBeLessThanOrEqual(maxPods)
  expect(most).toBeGreaterThan(1)
  const { items } = await client.list(PodKind)
  expect(items).toHaveLength(jobCount)
})
