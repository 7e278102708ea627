import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type AgentRun,
  type Budget,
  budget,
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
} from '@agents/jangar-api'
import { type Condition, JobKind, kindRef, PodKind } from '@agents/kube'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import {
  namespace,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'

const orchestrations = kindRef<Orchestration>(orchestration)
const runs = kindRef<OrchestrationRun>(orchestrationRun)

test('the processes of a tree of 3 levels are gone within 2 seconds of a limit being passed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-budget-tree-'))
  const platform = await startRunPlatform('embedded')
  onTestFinished(async () => {
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const { client } = platform
  await platform.startNode()
  await platform.startControllers({ ...unlimited })
  const sleeper = (level: number, at: number) => ({
    ...{ name: `s${at}`, kind: 'AgentRun', agentRef: { name: 'shell' } },
    implementation: { inline: { text: 'Sleep.' } },
    with: { script: `echo $$ >${join(folder, `${level}-${at}`)}; exec sleep 600` },
  })
  for (const level of [3, 2, 1]) {
    const below = {
      ...{
        name: 'sub',
        kind: 'SubOrchestration',
        orchestrationRef: { name: `level-${level + 1}` },
      },
    }
    const steps = [sleeper(level, 0), sleeper(level, 1), ...(level === 3 ? [] : [below])]
    const metadata = { name: `level-${level}`, namespace }
    await client.create(orchestrations, { metadata, spec: { steps } } as never)
  }
  await client.create(kindRef<Budget>(budget), {
    metadata: { name: 'all', namespace },
    spec: { limits: { tokens: '100' } },
  } as never)
  const key = { namespace, name: 'tree' }
  await client.create(runs, {
    metadata: key,
    spec: { orchestrationRef: { name: 'level-1' } },
  } as never)
  while ((await readdir(folder)).length < 6) await delay(50)
  const processes = await Promise.all(
    (await readdir(folder)).map(async (name) => Number(await readFile(join(folder, name), 'utf8'))),
  )
  expect(processes.filter(isRunning)).toHaveLength(6)
  const leaf = await startedRun()

  const status = { ...leaf.status, progress: { job: 'x', totalTokens: 101 } }
  await client.update(runKind, { ...leaf, status } as AgentRun, { subresource: 'status' })
  const begun = performance.now()
  while (processes.some(isRunning)) await delay(10)
  const stoppedMs = Math.round(performance.now() - begun)
  while (!isFinished((await client.get(runs, key)).status?.conditions)) await delay(10)
  const finishedMs = Math.round(performance.now() - begun)
  process.stderr.write(`processes gone after ${stoppedMs} ms, runs after ${finishedMs} ms\n`)
  // Nothing spends any more. The statuses of each level follow that of the one below.
  expect(stoppedMs).toBeLessThan(2000)
  expect(finishedMs).toBeLessThan(10_000)
  const { items: agentRuns } = await client.list(runKind, { namespace })
  const { items: all } = await client.list(runs, { namespace })
  const reasons = [...agentRuns, ...all].map(({ status: each }) => {
    const conditions = each?.conditions as Condition[] | undefined
    return conditions?.find(({ type }) => type === 'Finished')?.reason
  })
  expect(reasons).toEqual(Array.from({ length: 9 }, () => 'BudgetExceeded'))
  const { items: jobs } = await client.list(JobKind, { namespace })
  const { items: pods } = await client.list(PodKind, { namespace })
  expect([...jobs, ...pods].map(({ metadata }) => metadata.name)).toEqual([])

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

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
