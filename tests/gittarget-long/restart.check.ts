import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBed, until } from '../gittarget/test-bed.ts'
import { untilEqual } from './branch-contents.ts'

const OBJECTS = 10_000
const SECRETS = OBJECTS / 10
/** How many are created at the same time. */
const HANDS = 50

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
})
afterAll(() => bed.stop())

test(`a restart with ${OBJECTS} objects, ${SECRETS} of them Secrets: no commit, and live again`, {
  timeout: 900_000,
}, async () => {
  await bed.startOperator()
  const team = await bed.team('many', await bed.remote(), {
    target: {
      encryption: { provider: 'sops', secretRef: { name: 'age' }, autoCreate: true },
    } as never,
  })
  const indices = Array.from({ length: OBJECTS }, (_none, index) => index).values()
  const create = async (): Promise<void> => {
    for (const index of indices) {
      const secret = { password: 'hunter2-hunter2', index: String(index) }
      if (index < SECRETS) await team.secret(`s${index}`, secret)
      else await team.configMap(`c${index}`, { text: 'x'.repeat(1000) })
    }
  }
  await Promise.all(Array.from({ length: HANDS }, create))
  await team.watch(['configmaps', 'secrets'])
  await team.isReady()
  await untilEqual(team)
  const before = { tip: await team.remote.tip('main'), commits: await team.commits() }
  // With and without what it kept.
  for (const wipe of [false, true]) {
    await bed.stopOperator()
    if (wipe) await rm(bed.stateDir, { recursive: true, force: true })
    await bed.startOperator()
    const state = () => bed.operator.world.mirrors.state('many/mirror')
    await until(() => state()?.snapshot.kind === 'completed' && state()?.isSyncing === false)
    await team.isReady()
    expect(await team.remote.tip('main')).toBe(before.tip)
  }
  await team.configMap('c100', { text: 'y' })
  await untilEqual(team)
  expect(await team.commits()).toBe(before.commits + 1)
  await bed.stopOperator()
})
