import { rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import {
  conditionsOf,
  GitProviderKind,
  type Team,
  TestBed,
} from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'
import { setHook, takeAway } from './remote-faults.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
})
afterAll(() => bed.stop())

/** A mirror of the ConfigMaps `a` and `b`. By default, it checks its branch as often as allowed. */
async function idleMirror(
  namespace: string,
  onDrift: 'Correct' | 'Report' = 'Correct',
  driftCheckSeconds = 10,
): Promise<Team> {
  const team = await bed.team(namespace, await bed.remote(), {
    target: { onDrift, driftCheckSeconds },
    resources: ['configmaps'],
  })
  await team.configMap('a', { version: '1' })
  await team.configMap('b', { version: '1' })
  await team.isReady()
  await untilEqual(team)
  return team
}

async function messageOf(team: Team): Promise<string> {
  const { status } = await team.target()
  return status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? ''
}

async function changeProvider(team: Team, spec: object): Promise<void> {
  const key = { name: 'repository', namespace: team.namespace }
  await bed.client.patch(GitProviderKind, key, { type: 'merge', body: { spec } })
}

const edited = 'version: edited in Git'

/** Somebody edits the file of a ConfigMap. */
async function edit(team: Team, name: string): Promise<void> {
  const path = team.path('configmaps', name)
  const text = (await team.files())[path] ?? ''
  await team.remote.commit('main', { [path]: text.replace('version: "1"', edited) })
}

/** Somebody deletes the file of a ConfigMap. */
async function removeFile(team: Team, name: string): Promise<void> {
  const head = 'commit refs/heads/main\ncommitter somebody <somebody@example.test> 1700000000 +0000'
  const change = `from refs/heads/main^0\nD ${team.path('configmaps', name)}`
  await team.remote.fastImport(`${head}\ndata 6\ntheirs\n${change}\n`)
}

describe.concurrent('an idle mirror', () => {
  test('notices that its branch is gone, is not Ready meanwhile, and restores it', async () => {
    const team = await idleMirror('gone')
    const gate = `${team.remote.path}.closed`
    await writeFile(gate, '')
    await setHook(team.remote, 'pre-receive', `while [ -e '${gate}' ]; do sleep 0.1; done`)
    await team.remote.git('update-ref', '-d', 'refs/heads/main')
    await team.until('SnapshotSynced=False/Running')
    expect(await team.conditionTexts()).toContain('Ready=False/InitialSyncInProgress')
    expect((await team.target()).status?.snapshot?.driftedFiles).toBe(2)
    await rm(gate)
    await untilEqual(team)
    await team.isReady()
    expect((await team.target()).status?.snapshot?.driftedFiles).toBeUndefined()
  })

  test('restores an edited and a deleted file on top of the commits of others', async () => {
    const team = await idleMirror('edited')
    await edit(team, 'a')
    await removeFile(team, 'b')
    const theirs = await team.remote.commit('main', { 'notes.txt': 'theirs to keep\n' })
    await untilEqual(team)
    await team.remote.git('merge-base', '--is-ancestor', theirs, 'main')
    expect((await team.files())['notes.txt']).toBe('theirs to keep\n')
    await team.isReady()
  })

  test('reports drift and leaves it until its object changes', async () => {
    const team = await idleMirror('reported', 'Report')
    const [a, b] = [team.path('configmaps', 'a'), team.path('configmaps', 'b')]
    await edit(team, 'a')
    await edit(team, 'b')
    await team.until('SnapshotSynced=False/SnapshotFailed')
    expect(await messageOf(team)).toContain('2 files')
    const conditions = await team.conditionTexts()
    expect(conditions.some((text) => text.startsWith('Stalled=True'))).toBe(true)
    await team.configMap('a', { version: '2' })
    await team.untilFiles((files) => files[a]?.includes('version: "2"') === true)
    await until(async () => (await messageOf(team)).startsWith(b))
    expect((await team.files())[b]).toContain(edited)
    await team.change({ onDrift: 'Correct' })
    await untilEqual(team)
    await team.isReady()
  })

  test('that has to stop and start again still reports drift', async () => {
    const team = await idleMirror('reallowed', 'Report')
    const [a, b] = [team.path('configmaps', 'a'), team.path('configmaps', 'b')]
    await edit(team, 'a')
    await team.until('SnapshotSynced=False/SnapshotFailed')
    await changeProvider(team, { allowedBranches: ['other'] })
    await team.until('Validated=False/BranchNotAllowed')
    await edit(team, 'b')
    await changeProvider(team, { allowedBranches: ['main'] })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    expect(await messageOf(team)).toContain('2 files')
    await team.configMap('c', { version: '1' })
    await team.untilFiles((files) => team.path('configmaps', 'c') in files)
    const files = await team.files()
    for (const path of [a, b]) expect(files[path]).toContain(edited)
    await team.change({ onDrift: 'Correct' })
    await untilEqual(team)
    await team.isReady()
  })

  test('whose committer changes reports drift that it has not noticed before', async () => {
    const team = await idleMirror('committer', 'Report', 0)
    await edit(team, 'a')
    await changeProvider(team, {
      commit: { committer: { name: 'another', email: 'another@example.test' } },
    })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    expect((await team.files())[team.path('configmaps', 'a')]).toContain(edited)
    await team.change({ onDrift: 'Correct' })
    await untilEqual(team)
    await team.isReady()
  })

  test('whose repository is gone is not Ready, and neither is its provider', async () => {
    const team = await idleMirror('no-repository')
    const key = { namespace: team.namespace, name: 'repository' }
    const untilProvider = (condition: string) =>
      until(async () =>
        conditionsOf(await bed.client.get(GitProviderKind, key)).includes(condition),
      )
    await untilProvider('Ready=True/OK')
    const putBack = await takeAway(team.remote)
    await team.until('SnapshotSynced=False/SnapshotFailed')
    expect(await messageOf(team)).toContain('the branch cannot be checked')
    await untilProvider('Reachable=False/RepositoryNotFound')
    await putBack()
    await team.isReady()
    await untilProvider('Ready=True/OK')
  })
})

test('a change in Git while the operator is stopped is reported, not overwritten', async () => {
  const team = await idleMirror('restarted', 'Report')
  await bed.stopOperator()
  await edit(team, 'a')
  await bed.startOperator()
  await team.until('SnapshotSynced=False/SnapshotFailed')
  expect(await messageOf(team)).toContain(team.path('configmaps', 'a'))
  await team.configMap('c', { version: '1' })
  await team.untilFiles((files) => team.path('configmaps', 'c') in files)
  expect((await team.files())[team.path('configmaps', 'a')]).toContain(edited)
})
