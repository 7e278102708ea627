import { expect, test } from 'vitest'
import type { MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import type { RunSource } from './list-runs.ts'
import { runQueues } from './run-queues.ts'
import { runKinds } from './run-summary.ts'

const caller = { username: 'somebody' } as Caller
const [kind] = runKinds

test('a caller with few rights gets all queues that they may see, wherever they are in the order', async () => {
  const reviews = reviewer((namespace) => namespace === 'ns-199')
  expect(
    await runQueues({ sources: runsIn(200), mayDo: reviews.mayDo }, caller, undefined),
  ).toEqual([{ kind: 'AgentRun', namespace: 'ns-199', waiting: 1, running: 0, unreconciled: 1 }])
  expect(reviews.mostAtOnce()).toBe(1)
})

test('more namespaces than can be reviewed are refused, not left out', async () => {
  const few = reviewer((namespace) => namespace === 'ns-200')
  const ports = { sources: runsIn(201), mayDo: few.mayDo }
  await expect(runQueues(ports, caller, undefined)).rejects.toMatchObject({ code: 'BadRequest' })
  expect(await runQueues(ports, caller, 'ns-200')).toHaveLength(1)
  await expect(runQueues(ports, caller, 'ns-1')).rejects.toMatchObject({ code: 'Forbidden' })
})

test('one review is enough for a caller who may list runs in the whole cluster', async () => {
  const all = reviewer((namespace) => namespace === undefined)
  const queues = await runQueues({ sources: runsIn(500), mayDo: all.mayDo }, caller, undefined)
  expect([queues.length, all.count()]).toEqual([500, 1])
})

test('queues are not counted from a cache that is not filled', async () => {
  const { mayDo } = reviewer(() => true)
  await expect(
    runQueues({ sources: runsIn(1, false), mayDo }, caller, undefined),
  ).rejects.toMatchObject({ code: 'Unavailable' })
})

function reviewer(isAllowed: (namespace: string | undefined) => boolean) {
  let [open, most, count] = [0, 0, 0]
  const mayDo: MayDo = async (_caller, { namespace }) => {
    count += 1
    open += 1
    most = Math.max(most, open)
    await Promise.resolve()
    open -= 1
    return isAllowed(namespace)
  }
  return { mayDo, mostAtOnce: () => most, count: () => count }
}

/** One run in each of the namespaces. */
function runsIn(count: number, isFilled = true): readonly RunSource[] {
  const runs = Array.from({ length: count }, (_, at) => ({
    metadata: { namespace: `ns-${at}`, name: 'run', generation: 1 },
  }))
  const list = (namespace?: string) =>
    runs.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
  const source = { cache: { kind, list }, changes: { isFilled: () => isFilled }, namespaces: ['*'] }
  return [source as unknown as RunSource]
}
