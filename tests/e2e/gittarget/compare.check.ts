import { join } from 'node:path'
import { compareTarget } from '@agents/gittarget'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Team, TestBed } from '../../support/gittarget/test-bed.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(() => bed.stop())

async function differences(team: Team) {
  const { differences: found } = await compareTarget(await team.target(), {
    client: bed.client,
    log: silentLogger,
    directory: join(bed.stateDir, 'compared'),
    path: '/usr/local/bin:/usr/bin:/bin',
    signal: new AbortController().signal,
  })
  return found.map(({ path, kind }) => [path, kind])
}

test('a comparison finds what differs between Git and the cluster, and writes nothing', async () => {
  const team = await bed.team('compared', await bed.remote(), { resources: ['configmaps'] })
  for (const name of ['changed', 'deleted', 'same']) await team.configMap(name, { value: 'one' })
  await team.isReady()
  const names = ['changed', 'deleted', 'same']
  await team.untilFiles((files) => names.every((name) => team.path('configmaps', name) in files))
  await bed.stopOperator()
  expect(await differences(team)).toEqual([])
  await team.configMap('changed', { value: 'two' })
  await team.configMap('created', { value: 'one' })
  await team.deleteConfigMap('deleted')
  const before = await team.commits()
  expect(await differences(team)).toEqual([
    [team.path('configmaps', 'changed'), 'differs'],
    [team.path('configmaps', 'created'), 'only in the cluster'],
    [team.path('configmaps', 'deleted'), 'only in Git'],
  ])
  expect(await team.commits()).toBe(before)
})
