import { expect } from 'vitest'
import { builtinsIn, containers, dry, named } from './builtin-objects.ts'
import type { Answer, Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance, withoutStatus } from './suite.ts'

conformance('evictions', ({ client, namespace, same }) => {
  const { of, pods } = builtinsIn(namespace)
  const create = async (name: string): Promise<void> => {
    const answer = await client.send('POST', pods, {
      metadata: { name, labels: { name } },
      spec: { automountServiceAccountToken: false, containers },
    })
    expect(answer.code, answer.text).toBe(201)
  }
  const evict = (name: string, deleteOptions: Fields, path = `${pods}/${name}/eviction`) =>
    client.send('POST', path, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions,
    })

  same('a dry run in the body of an eviction leaves the pod', 200, async () => {
    await create('drained')
    const evicted = await evict('drained', { dryRun: ['All'] })
    return [evicted, withoutStatus(await client.get(`${pods}/drained`))]
  })
  same('a dry run in the query of an eviction leaves the pod', 200, async () => {
    const evicted = await evict('drained', {}, dry(`${pods}/drained/eviction`))
    return [evicted, withoutStatus(await client.get(`${pods}/drained`))]
  })
  same('a dry run in both query and body of an eviction leaves the pod', 200, async () => {
    const path = dry(`${pods}/drained/eviction`)
    const evicted = await evict('drained', { dryRun: ['All'] }, path)
    return [evicted, withoutStatus(await client.get(`${pods}/drained`))]
  })
  same('different dry runs in query and body of an eviction', 500, () =>
    evict('drained', { dryRun: ['All', 'All'] }, dry(`${pods}/drained/eviction`)),
  )
  same('a dry run of an eviction of a pod that does not exist', 404, () =>
    evict('absent', { dryRun: ['All'] }),
  )
  same('a dry run of an eviction does not use up a disruption budget', 429, async () => {
    await create('guarded')
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await client.send('PATCH', `${pods}/guarded/status`, { status: ready }, merge)
    const budgets = of('policy/v1', 'poddisruptionbudgets')
    const spec = { minAvailable: 0, selector: { matchLabels: { name: 'guarded' } } }
    await client.send('POST', budgets, named('guard', { spec }))
    const allow = async (disruptionsAllowed: number): Promise<void> => {
      const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: 1 }
      const counts = { ...status, desiredHealthy: 0, expectedPods: 1 }
      const path = `${budgets}/guard/status`
      const answer = await client.send('PATCH', path, { status: counts }, merge)
      expect(answer.code, answer.text).toBe(200)
    }
    await allow(1)
    const first = await evict('guarded', { dryRun: ['All'] })
    const second = await evict('guarded', { dryRun: ['All'] })
    await allow(0)
    return [first, second, await evict('guarded', { dryRun: ['All'] })]
  })

  const budgets = of('policy/v1', 'poddisruptionbudgets')
  /** A pod that is running, and a budget for it whose status allows some disruptions. */
  const guard = async (name: string, isReady: boolean, status: Fields, spec: Fields = {}) => {
    await create(name)
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
    const running = { status: { phase: 'Running', conditions } }
    await client.send('PATCH', `${pods}/${name}/status`, running, merge)
    const selector = { matchLabels: { name } }
    await client.send(
      'POST',
      budgets,
      named(name, { spec: { minAvailable: 0, selector, ...spec } }),
    )
    const zero = { observedGeneration: 1, currentHealthy: 0, desiredHealthy: 0, expectedPods: 1 }
    const counts = { ...zero, disruptionsAllowed: 0, ...status }
    const written = await client.send(
      'PATCH',
      `${budgets}/${name}/status`,
      { status: counts },
      merge,
    )
    expect(written.code, written.text).toBe(200)
  }
  const budgetOf = (name: string) => client.get(`${budgets}/${name}`)

  same('an eviction uses up a disruption', 200, async () => {
    await guard('counted', true, { disruptionsAllowed: 2 })
    return [await evict('counted', {}), withoutManagers(await budgetOf('counted'))]
  })
  same('the last disruption', 200, async () => {
    await guard('last', true, { disruptionsAllowed: 1 })
    return [await evict('last', {}), withoutManagers(await budgetOf('last'))]
  })
  same('a budget whose status is old', 429, async () => {
    await guard('old', true, { disruptionsAllowed: 1, observedGeneration: 0 })
    return evict('old', {})
  })
  same('a pod that is not ready, within its budget', 200, async () => {
    await guard('unready', false, { currentHealthy: 2, desiredHealthy: 2 })
    return [await evict('unready', {}), withoutManagers(await budgetOf('unready'))]
  })
  same('a pod that is not ready, outside of its budget', 429, async () => {
    await guard('outside', false, { currentHealthy: 1, desiredHealthy: 2 })
    return evict('outside', {})
  })
  same('a pod that is not ready and always evicted', 201, async () => {
    const spec = { unhealthyPodEvictionPolicy: 'AlwaysAllow' }
    await guard('always', false, { currentHealthy: 1, desiredHealthy: 2 }, spec)
    return evict('always', {})
  })
  same('a budget that failed', 429, async () => {
    const condition = { type: 'DisruptionAllowed', status: 'False', message: 'broken' }
    const times = { lastTransitionTime: '2026-01-01T00:00:00Z' }
    const conditions = [{ ...condition, ...times, reason: 'SyncFailed' }]
    await guard('failed', true, { conditions })
    return evict('failed', {})
  })
  same('a pod that is held says why it ends', 200, async () => {
    await client.send('POST', pods, {
      metadata: { name: 'held', finalizers: ['example.dev/hold'] },
      spec: { automountServiceAccountToken: false, containers },
    })
    const evicted = await evict('held', {})
    const held = withoutManagers(await client.get(`${pods}/held`))
    await client.send('PATCH', `${pods}/held`, { metadata: { finalizers: null } }, merge)
    return [evicted, held]
  })
})

function withoutManagers(answer: Answer): Answer {
  const { metadata, ...rest } = answer.body as Fields
  const { managedFields: _managers, ...others } = metadata as Fields
  return { ...answer, body: { ...rest, metadata: others } }
}
