import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type AgentRun, type Budget, budget } from '@agents/jangar-api'
import { type Condition, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import {
  createRun,
  limitName,
  namespace,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'

const settings = { ...unlimited, [limitName('CONCURRENCY_CLUSTER')]: '4' }
const budgets = kindRef<Budget>(budget)
const key = { namespace, name: 'burst' }

/** Kills the controllers while a burst of runs, each of which reserves and uses 1 token, meets a Budget. */
export function testBudgetBurst(count: number, limit: number, kills: number): void {
  test(`of ${count} runs against a Budget of ${limit}, exactly ${limit} start while the controllers are killed ${kills} times`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-burst-'))
    const platform = await startRunPlatform('embedded')
    onTestFinished(async () => {
      await platform.stop()
      await rm(folder, { recursive: true, force: true })
    })
    const { client } = platform
    await platform.startNode()
    await client.create(budgets, {
      metadata: key,
      spec: {
        limits: { tokens: `${limit}` },
        reservation: { tokens: '1' },
        onExceeded: 'Block',
      },
    } as never)
    const list = async () => (await client.list(runKind, { namespace })).items
    const started = async () => (await readdir(folder)).length
    const histories = async () =>
      Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    const creating = Promise.all(
      Array.from({ length: count }, (_, at) =>
        createRun(client, `run-${at}`, scriptOf(join(folder, `run-${at}`), at % 4), { retries: 0 }),
      ),
    )
    let interrupted = 0
    for (let life = 0; life < kills; life += 1) {
      const controllers = await platform.startControllers(settings)
      // Each life starts some of the runs, so that all kills fall into the burst.
      const wanted = Math.min(limit - 1, Math.ceil(((life + 1) * limit) / (kills + 1)))
      while ((await started()) < wanted) await delay(20)
      // Varies the moment of the kill.
      await delay((life * 137) % 400)
      await controllers.kill()
      interrupted += (await histories()).includes('begun\n') ? 1 : 0
    }
    // A kill that interrupts nothing would prove nothing.
    expect(interrupted).toBeGreaterThan(kills / 2)
    await creating
    await platform.startControllers(settings)
    const isSettled = async () => {
      const all = await list()
      const finished = all.filter(({ status }) => isFinished(status?.conditions)).length
      return finished + all.filter(isRefused).length === count
    }
    while (!(await isSettled())) await delay(200)
    // Nothing that waits may start later.
    await delay(3000)
    const all = await list()
    const finished = all.filter(({ status }) => isFinished(status?.conditions))
    expect(finished.map(({ status }) => status?.phase)).toEqual(
      Array.from({ length: limit }, () => 'Succeeded'),
    )
    expect(all.filter(isRefused)).toHaveLength(count - limit)
    expect(await histories()).toEqual(Array.from({ length: limit }, () => 'begun\nended\n'))
    await expect
      .poll(async () => (await client.get(budgets, key)).status?.used)
      .toEqual({
        tokens: `${limit}`,
      })
  })
}

/** Reports the usage of 1 token, after some time in which it is only reserved. */
function scriptOf(file: string, tenths: number): string {
  const usage = { totalTokens: 1 }
  const report = { outcome: 'succeeded', reason: 'Succeeded', message: 'done', exitCode: 0, usage }
  return `echo begun >>${file}; sleep 1.${tenths}; echo ended >>${file}; printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"`
}

function isRefused({ status }: AgentRun): boolean {
  const conditions = status?.conditions as Condition[] | undefined
  return (
    conditions?.some((one) => one.type === 'Admitted' && one.reason === 'BudgetExhausted') ?? false
  )
}
