import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

const objectCount = isFull ? 10_000 : 1_000
const secrets = objectCount / 10
/** Number of concurrent creates. */
const hands = 50

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
})
afterAll(() => bed.stop())

test(`a restart with ${objectCount} objects, ${secrets} of them Secrets: no commit, and the mirror is live again`, {
  timeout: 900_000,
}, async () => {
  await bed.startOperator()
  const team = await bed.team('many', await bed.remote(), {
    target: {
      encryption: { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true },
    } as never,
  })
  const indices = Array.from({ length: objectCount }, (_none, index) => index).values()
  const create = async (): Promise<void> => {
    for (const index of indices) {
      const secret = { password: 'hunter2-hunter2', index: String(index) }
      if (index < secrets) await team.secret(`s${index}`, secret)
      else await team.configMap(`c${index}`, { text: 'x'.repeat(1000) })
    }
  }
  await Promise.all(Array.from({ length: hands }, create))
  await team.watch(['configmaps', 'secrets'])
  await team.isReady()
  await untilEqual(team)
  const before = { tip: await team.remote.tip('main'), commits: await team.commits() }
  // With and without its state folder.
  for (const wipe of [false, true]) {
    await bed.stopOperator()
    if (wipe) await rm(bed.stateDir, { recursive: true, force: true })
    await bed.startOperator()
    const state = () => bed.operator.components.mirrors.state('many/mirror')
    await until(() => state()?.snapshot.kind === 'completed' && state()?.isSyncing === false)
    await team.isReady()
    expect(await team.remote.tip('main')).toBe(before.tip)
  }
  await team.configMap('c100', { text: 'y' })
  await untilEqual(team)
  expect(await team.commits()).toBe(before.commits + 1)
  await bed.stopOperator()
})
