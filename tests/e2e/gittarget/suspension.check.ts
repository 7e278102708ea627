import { rename } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(() => bed.stop())

async function untilPending(team: Team, count: number): Promise<void> {
  await until(async () => (await team.target()).status?.push?.pendingChanges === count)
}

test('pending changes are counted while the target is suspended, also after a restart', async () => {
  const team = await bed.team('suspended', await bed.remote(), { resources: ['configmaps'] })
  for (const name of ['a', 'b', 'c']) await team.configMap(name, { version: '1' })
  await team.isReady()
  await untilEqual(team)
  const before = await team.remote.tip('main')
  await team.change({ suspend: true })
  await team.until('SnapshotSynced=False/Running')
  await team.configMap('a', { version: '2' })
  await team.deleteConfigMap('b')
  await untilPending(team, 2)
  await bed.stopOperator()
  await team.configMap('c', { version: '2' })
  await team.configMap('d', { version: '1' })
  await bed.startOperator()
  await untilPending(team, 4)
  expect(await team.remote.tip('main')).toBe(before)
  await team.change({ suspend: false })
  await untilEqual(team)
  await team.isReady()
  await untilPending(team, 0)
})

test('a target that is created suspended counts what it would write', async () => {
  const team = await bed.team('suspended-at-first', await bed.remote(), {
    target: { suspend: true },
    resources: ['configmaps'],
  })
  await team.configMap('a', { version: '1' })
  await team.configMap('b', { version: '1' })
  await untilPending(team, 2)
  expect(await team.remote.tip('main')).toBeUndefined()
})

test('the time of registration survives a restart, also if the repository is not available at first', async () => {
  const team = await bed.team('registered', await bed.remote(), { resources: ['configmaps'] })
  await team.isReady()
  const registered = async () => (await team.target()).status?.stream?.registeredTime
  const first = await registered()
  expect(first).toBeDefined()
  await bed.stopOperator()
  // The resolution of the time is a second.
  await until(() => Date.now() > Date.parse(first ?? '') + 2_000)
  const away = `${team.remote.path}.away`
  await rename(team.remote.path, away)
  await bed.startOperator()
  await team.until('Bootstrapped=False/BootstrapFailed')
  await rename(away, team.remote.path)
  await team.change({ suspend: true })
  await team.change({ suspend: false })
  await team.isReady()
  expect(await registered()).toBe(first)
})
