import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestBed, until } from './test-bed.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(() => bed.stop())

describe('a mirror', () => {
  test('writes what is there in one commit, and then what happens', async () => {
    const remote = await bed.remote()
    const team = await bed.team('snapshot', remote, { target: false })
    await team.configMap('a', { level: 'info' })
    await team.configMap('b', { level: 'info' })
    await team.watch(['configmaps'])
    await team.createTarget()
    await team.isReady()
    expect(Object.keys(await team.files()).sort()).toEqual([
      'cluster/README.md',
      team.path('configmaps', 'a'),
      team.path('configmaps', 'b'),
    ])
    expect(await team.commits()).toBe(1)
    await team.configMap('a', { level: 'debug' })
    await team.untilFiles(
      (files) => files[team.path('configmaps', 'a')]?.includes('debug') === true,
    )
    await team.deleteConfigMap('b')
    await team.untilFiles((files) => files[team.path('configmaps', 'b')] === undefined)
    await until(
      async () => (await team.target()).status?.push?.lastCommit === (await remote.tip('main')),
    )
  }, 30_000)
})
