import { confirmDeleteAnnotation } from '@agents/gittarget'
import type { GitTarget } from '@agents/gittarget-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GitTargetKind, TestBed } from '../../support/gittarget/test-bed.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(() => bed.stop())

describe('pruning', () => {
  const unseen = async (namespace: string, prune: Partial<GitTarget['spec']['prune']>) => {
    const team = await bed.team(namespace, await bed.remote(), {
      target: { prune: { mode: 'OnEvent', maxDeleteFraction: 0.5, ...prune } },
      resources: ['configmaps'],
    })
    for (let index = 0; index < 12; index += 1) await team.configMap(`c${index}`, {})
    await team.isReady()
    await team.untilFiles((files) => Object.keys(files).length === 13)
    await bed.stopOperator()
    for (let index = 0; index < 12; index += 1) await team.deleteConfigMap(`c${index}`)
    await bed.startOperator()
    return team
  }

  test('OnEvent keeps files whose objects were deleted unobserved', async () => {
    const team = await unseen('on-event', {})
    await team.configMap('new', {})
    await team.untilFiles((files) => team.path('configmaps', 'new') in files)
    expect(Object.keys(await team.files())).toHaveLength(14)
  })

  test('Always asks for confirmation before it deletes most of the files', async () => {
    const team = await unseen('always', { mode: 'Always' })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    const { status } = await team.target()
    const { message = '' } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {}
    const [, token = ''] = new RegExp(`${confirmDeleteAnnotation}=([0-9a-f]+)`).exec(message) ?? []
    expect(Object.keys(await team.files())).toHaveLength(13)
    await team.configMap('new', {})
    await team.untilFiles((files) => team.path('configmaps', 'new') in files)
    const key = { namespace: 'always', name: 'mirror' }
    const body = { metadata: { annotations: { [confirmDeleteAnnotation]: token } } }
    await bed.client.patch(GitTargetKind, key, { type: 'merge', body })
    await team.isReady()
    expect(Object.keys(await team.files()).sort()).toEqual([
      'cluster/README.md',
      team.path('configmaps', 'new'),
    ])
  })

  test('Never keeps everything', async () => {
    const team = await bed.team('never', await bed.remote(), {
      target: { prune: { mode: 'Never', maxDeleteFraction: 0.5 } },
      resources: ['configmaps'],
    })
    await team.configMap('a', {})
    await team.isReady()
    await team.untilFiles((files) => team.path('configmaps', 'a') in files)
    await team.deleteConfigMap('a')
    await team.configMap('b', {})
    await team.untilFiles((files) => team.path('configmaps', 'b') in files)
    expect(await team.files()).toHaveProperty([team.path('configmaps', 'a')])
  })
})
