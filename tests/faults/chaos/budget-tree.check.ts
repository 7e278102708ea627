import { setTimeout as delay } from 'node:timers/promises'
import { type AgentRun, type Budget, budget } from '@agents/jangar-api'
import { type Condition, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import {
  namespace,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { isFull } from '../../support/tier.ts'
import {
  expectNoWorkload,
  isProcessRunning,
  orchestrationRuns,
  runsOfTree,
  startSleepingTree,
  treeKey,
} from './sleeping-tree.ts'

test('the processes of a tree of 3 levels are gone, and then its runs end, when a limit is passed', async () => {
  const platform = await startRunPlatform('embedded')
  onTestFinished(() => platform.stop())
  const { client } = platform
  await platform.startNode()
  await platform.startControllers({ ...unlimited })
  await client.create(kindRef<Budget>(budget), {
    metadata: { name: 'all', namespace },
    spec: { limits: { tokens: '100' } },
  } as never)
  const processes = await startSleepingTree(client, [2, 2, 2])
  const leaf = await startedRun()

  const status = { ...leaf.status, progress: { job: 'x', totalTokens: 101 } }
  await client.update(runKind, { ...leaf, status } as AgentRun, { subresource: 'status' })
  const begun = performance.now()
  while (processes.some(isProcessRunning)) await delay(10)
  const stoppedMs = Math.round(performance.now() - begun)
  while (!isFinished((await client.get(orchestrationRuns, treeKey)).status?.conditions))
    await delay(10)
  const finishedMs = Math.round(performance.now() - begun)
  process.stderr.write(`processes gone after ${stoppedMs} ms, runs after ${finishedMs} ms\n`)
  if (isFull) {
    // Nothing spends any more. The statuses of each level follow that of the one below.
    expect(stoppedMs).toBeLessThan(2000)
    expect(finishedMs).toBeLessThan(10_000)
  }
  const reasons = (await runsOfTree(client)).map(({ status: each }) => {
    const conditions = each?.conditions as Condition[] | undefined
    return conditions?.find(({ type }) => type === 'Finished')?.reason
  })
  expect(reasons).toEqual(Array.from({ length: 9 }, () => 'BudgetExceeded'))
  await expectNoWorkload(client)

  async function startedRun(): Promise<AgentRun> {
    for (;;) {
      const { items } = await client.list(runKind, { namespace })
      const started = items.filter(({ status: each }) => each?.startedAt !== undefined)
      const [first] = started
      if (first !== undefined && started.length === 6) return first
      await delay(50)
    }
  }
})
