import { rename } from 'node:fs/promises'
import { kinds } from '@agents/gittarget-api'
import { ConfigMapKind, NamespaceKind, RoleKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ClusterWatchRuleKind,
  GitTargetKind,
  type Team,
  TestBed,
} from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.start()
  await bed.startOperator()
}, 60_000)
afterAll(() => bed.stop())

/** Restarts the operator and waits until it has compared everything again. */
async function restartOperator(target: string): Promise<void> {
  await bed.stopOperator()
  await bed.startOperator()
  const state = () => bed.operator.components.mirrors.state(target)
  await until(() => state()?.snapshot.kind === 'completed' && state()?.isSyncing === false)
}

function contains(team: Team, name: string, text: string): Promise<void> {
  return team.untilFiles((files) => files[team.path('configmaps', name)]?.includes(text) === true)
}

function isGone(team: Team, name: string): Promise<void> {
  return team.untilFiles((files) => files[team.path('configmaps', name)] === undefined)
}

describe('a mirror', () => {
  test('writes the existing objects in one commit, and then their changes', async () => {
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
    await contains(team, 'a', 'debug')
    await team.deleteConfigMap('b')
    await isGone(team, 'b')
    await until(async () => {
      const { push } = (await team.target()).status ?? {}
      return push?.lastCommit === (await remote.tip('main')) && push?.pendingChanges === 0
    })
  })

  test('does not commit a change that is not part of the manifest', async () => {
    const team = await bed.team('unseen', await bed.remote(), { resources: ['configmaps'] })
    await team.configMap('a', { round: '1' })
    await team.configMap('b', { round: '1' })
    await team.isReady()
    await contains(team, 'b', 'round: "1"')
    const before = await team.commits()
    const key = { namespace: 'unseen', name: 'a' }
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }
    const finalizers = ['example.test/later']
    for (const metadata of [{ annotations }, { finalizers }, { finalizers: [] }]) {
      await bed.client.patch(ConfigMapKind, key, { type: 'merge', body: { metadata } })
    }
    // Events arrive in order: once this change is mirrored, the others have been seen.
    await team.configMap('b', { round: '2' })
    await contains(team, 'b', 'round: "2"')
    expect(await team.commits()).toBe(before + 1)
    const changed = await team.remote.git('diff', '--name-only', 'main~1', 'main')
    expect(changed).toBe(team.path('configmaps', 'b'))
  })

  test('treats an object that is being deleted as deleted, also after a restart', async () => {
    const team = await bed.team('terminating', await bed.remote(), { resources: ['configmaps'] })
    const finalizers = ['example.test/later']
    const key = { namespace: 'terminating', name: 'a' }
    await team.configMap('a', { round: '1' })
    await bed.client.patch(ConfigMapKind, key, {
      type: 'merge',
      body: { metadata: { finalizers } },
    })
    await team.isReady()
    await contains(team, 'a', 'round: "1"')
    await team.deleteConfigMap('a')
    await isGone(team, 'a')
    expect((await bed.client.get(ConfigMapKind, key)).metadata.deletionTimestamp).toBeDefined()
    const tip = await team.remote.tip('main')
    await restartOperator('terminating/mirror')
    expect(await team.remote.tip('main')).toBe(tip)
    const body = { metadata: { finalizers: [] } }
    await bed.client.patch(ConfigMapKind, key, { type: 'merge', body })
  })

  test('shares a branch with another target: each has its own folder, and nothing is lost', async () => {
    const remote = await bed.remote()
    const one = await bed.team('one', remote, { resources: ['configmaps'] })
    const other = await bed.team('other', remote, {
      target: { path: 'elsewhere' },
      resources: ['configmaps'],
    })
    await Promise.all([one, other].map((team) => team.isReady()))
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([one, other].map((team) => team.configMap('a', { round: String(round) })))
    }
    await contains(one, 'a', 'round: "4"')
    const file = 'elsewhere/other/core/configmaps/a.yaml'
    await other.untilFiles((files) => files[file]?.includes('round: "4"') === true)
    await one.createTarget({ path: 'beside' }, 'second')
    await one.isReady('second')
    const targets = await Promise.all([one.target(), one.target('second'), other.target()])
    const [own, beside, theirs] = targets.map(({ status }) => status?.workerRef)
    expect(beside, 'of one provider they share a worker').toEqual(own)
    expect(theirs?.name, 'it is the same branch').toBe(own?.name)
    expect(theirs?.uid, 'nobody writes with the credentials of another').not.toBe(own?.uid)
  })

  test('combines many changes into one commit', async () => {
    const team = await bed.team('burst', await bed.remote(), {
      // The shutdown of the operator closes the window, however slow the machine is.
      provider: { push: { commitWindow: '10m', maxWindow: '20m' } },
      resources: ['configmaps'],
    })
    const state = () => bed.operator.components.mirrors.state('burst/mirror')
    await until(() => state()?.streams.length === 1 && state()?.isSyncing === false)
    await team.isReady()
    const before = await team.commits()
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => team.configMap(`c${index}`, { round: '1' })),
    )
    await team.configMap('c0', { round: '2' })
    await until(() => state()?.waiting === 30)
    expect(await team.commits()).toBe(before)
    await bed.stopOperator()
    await bed.startOperator()
    await contains(team, 'c0', 'round: "2"')
    expect(Object.keys(await team.files())).toHaveLength(31)
    expect(await team.commits()).toBe(before + 1)
  })

  test('keeps pending changes while the remote is unreachable, reports them, and pushes them when it is back', async () => {
    const remote = await bed.remote()
    const team = await bed.team('outage', remote, { resources: ['configmaps'] })
    await team.configMap('a', { state: 'before' })
    await team.isReady()
    await contains(team, 'a', 'before')
    await rename(remote.path, `${remote.path}.away`)
    await team.configMap('a', { state: 'during' })
    await team.configMap('b', { state: 'during' })
    await until(async () => {
      const { push } = (await team.target()).status ?? {}
      return (push?.pendingChanges ?? 0) > 0 && push?.lastError !== undefined
    })
    // The status must not be Ready while changes cannot be pushed.
    await team.until('SnapshotSynced=False/SnapshotFailed')
    await rename(`${remote.path}.away`, remote.path)
    await contains(team, 'a', 'during')
    await contains(team, 'b', 'during')
    await team.isReady()
    await until(async () => (await team.target()).status?.push?.lastError === undefined)
  })

  test('keeps another author’s commit, and restores the folder after it', async () => {
    const remote = await bed.remote()
    const team = await bed.team('foreign', remote, { resources: ['configmaps'] })
    await team.configMap('a', { owner: 'cluster' })
    await team.configMap('b', { owner: 'cluster' })
    await team.isReady()
    await contains(team, 'b', 'cluster')
    const path = team.path('configmaps', 'a')
    const theirs = (await team.files())[path]?.replace('cluster', 'somebody') ?? ''
    await remote.commit('main', { [path]: `${theirs}\n`, 'notes.txt': 'theirs' }, 'by hand')
    await team.configMap('b', { owner: 'changed' })
    await contains(team, 'b', 'changed')
    await contains(team, 'a', 'owner: cluster')
    expect((await team.files())['notes.txt']).toBe('theirs')
    expect(await remote.messages('main')).toContain('by hand')
  })

  test('edits a manifest where a user moved it, and keeps its comments', async () => {
    const remote = await bed.remote()
    const team = await bed.team('moved', remote, { resources: ['configmaps'] })
    await team.configMap('a', { level: 'info' })
    await team.isReady()
    await contains(team, 'a', 'info')
    await bed.stopOperator()
    const path = team.path('configmaps', 'a')
    const moved = `# ask before you change it\n${(await team.files())[path]}`
    await remote.git('update-ref', '-d', 'refs/heads/main')
    await remote.commit('main', { 'cluster/by-hand/a.yaml': moved, 'cluster/own.yaml': 'a: 1\n' })
    await bed.startOperator()
    await team.configMap('a', { level: 'debug' })
    await team.untilFiles((all) => all['cluster/by-hand/a.yaml']?.includes('debug') === true)
    const files = await team.files()
    expect(files['cluster/by-hand/a.yaml']).toContain('# ask before you change it')
    expect(files[path]).toBeUndefined()
    expect(files['cluster/own.yaml']).toBe('a: 1\n')
  })

  test('continues at the new path when a manifest is moved or removed while it runs', async () => {
    const remote = await bed.remote()
    const team = await bed.team('moving', remote, { resources: ['configmaps'] })
    for (const name of ['changed', 'deleted', 'removed']) await team.configMap(name, { level: '1' })
    await team.isReady()
    await team.untilFiles((files) => team.path('configmaps', 'removed') in files)
    const before = await team.files()
    const textOf = (name: string): string => before[team.path('configmaps', name)] ?? ''
    await remote.git('update-ref', '-d', 'refs/heads/main')
    await remote.commit('main', {
      'cluster/mine/changed.yaml': `# ask before you change it\n${textOf('changed')}`,
      'cluster/mine/deleted.yaml': textOf('deleted'),
    })
    await Promise.all([
      team.configMap('changed', { level: '2' }),
      team.deleteConfigMap('deleted'),
      team.configMap('removed', { level: '2' }),
    ])
    await contains(team, 'removed', 'level: "2"')
    await team.untilFiles(
      (files) =>
        files['cluster/mine/changed.yaml']?.includes('level: "2"') === true &&
        files['cluster/mine/deleted.yaml'] === undefined,
    )
    const files = await team.files()
    expect(files['cluster/mine/changed.yaml']).toContain('# ask before you change it')
    expect(Object.keys(files).sort()).toEqual([
      'cluster/README.md',
      'cluster/mine/changed.yaml',
      team.path('configmaps', 'removed'),
    ])
  })

  test('is not ready while something blocks the path of a file, and writes the file when the path is free', async () => {
    const remote = await bed.remote()
    await remote.commit('main', { cluster: 'a file where the folder has to be' })
    const team = await bed.team('in-the-way', remote, { resources: ['configmaps'] })
    await team.configMap('a', { level: '1' })
    await team.until('SnapshotSynced=False/SnapshotFailed')
    await team.until('Stalled=True/SnapshotFailed')
    await remote.git('update-ref', '-d', 'refs/heads/main')
    await remote.commit('main', { 'notes.txt': 'the folder is free' })
    // Speeds up the test: without an event the same would happen up to a minute later.
    await team.configMap('b', { level: '1' })
    await team.isReady()
    expect(Object.keys(await team.files()).sort()).toEqual([
      'cluster/README.md',
      team.path('configmaps', 'a'),
      team.path('configmaps', 'b'),
      'notes.txt',
    ])
  })

  test('ends when its target is being deleted, however long a finalizer holds it, and another target may take the folder', async () => {
    const remote = await bed.remote()
    const team = await bed.team('leaving', remote, { resources: ['configmaps'] })
    await team.configMap('a', { state: 'before' })
    await team.isReady()
    await contains(team, 'a', 'before')
    const key = { namespace: 'leaving', name: 'mirror' }
    const keep = (finalizers: string[]) =>
      bed.client.patch(GitTargetKind, key, { type: 'merge', body: { metadata: { finalizers } } })
    await keep(['example.test/later'])
    await bed.client.delete(GitTargetKind, key)
    await until(() => bed.operator.components.mirrors.state('leaving/mirror') === undefined)
    const heir = await bed.team('heir', remote, { resources: ['configmaps'] })
    await heir.configMap('b', { state: 'after' })
    await heir.isReady()
    await contains(heir, 'b', 'after')
    await contains(team, 'a', 'before')
    await keep([])
  })

  test('stops while it is suspended and catches up afterwards', async () => {
    const team = await bed.team('suspended', await bed.remote(), { resources: ['configmaps'] })
    await team.configMap('a', { state: 'before' })
    await team.configMap('gone', { state: 'before' })
    await team.isReady()
    await contains(team, 'gone', 'before')
    await team.change({ suspend: true })
    await team.until('SnapshotSynced=False/Running')
    const before = await team.commits()
    await team.configMap('a', { state: 'during' })
    await team.deleteConfigMap('gone')
    await until(() => bed.operator.components.mirrors.state('suspended/mirror')?.waiting === 2)
    expect(await team.commits()).toBe(before)
    await team.change({ suspend: false })
    await contains(team, 'a', 'during')
    await isGone(team, 'gone')
    await team.isReady()
  })

  test('writes nothing outside of its folder, whatever the names of the objects', async () => {
    const team = await bed.team('hostile', await bed.remote(), { resources: ['roles'] })
    for (const name of [
      'system:a',
      'a..b',
      '.hidden',
      'with space',
      'per%2Fcent'.replace('%', '_'),
    ]) {
      await bed.client.create(RoleKind, {
        metadata: { name, namespace: 'hostile' },
        rules: [],
      } as never)
    }
    await team.isReady()
    await team.untilFiles((files) => Object.keys(files).length === 6)
    for (const path of Object.keys(await team.files())) {
      expect(path).toMatch(/^cluster\/(README\.md|hostile\/rbac\.authorization\.k8s\.io\/roles\/)/)
    }
  })
})

describe('an object that a controller created for another object', () => {
  test('is excluded by a wildcard rule, also if it is adopted later', async () => {
    const team = await bed.team('owned', await bed.remote())
    await team.watch(['*'], { apiGroups: [''] })
    await team.configMap('owner', {})
    await team.configMap('orphan', {})
    const path = '/api/v1/namespaces/owned/configmaps'
    const { uid } = (await bed.client.get(ConfigMapKind, { namespace: 'owned', name: 'owner' }))
      .metadata
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true },
    ]
    const body = { metadata: { name: 'made', ownerReferences } }
    await bed.client.request({ method: 'POST', path, body })
    await team.isReady()
    await team.untilFiles((files) => team.path('configmaps', 'orphan') in files)
    expect(Object.keys(await team.files())).not.toContain(team.path('configmaps', 'made'))
    // Adopted: its controller owns it from now on.
    const key = { namespace: 'owned', name: 'orphan' }
    await bed.client.patch(ConfigMapKind, key, {
      type: 'merge',
      body: { metadata: { ownerReferences } },
    })
    await isGone(team, 'orphan')
    expect(Object.keys(await team.files())).toContain(team.path('configmaps', 'owner'))
  })
})

describe('cluster-wide rules', () => {
  test('are served when the target allows them, for the namespaces that they select', async () => {
    const team = await bed.team('hub', await bed.remote())
    const other = await bed.team('spoke', team.remote, { provider: false, target: false })
    await other.configMap('far', { a: 'b' })
    await bed.client.create(ClusterWatchRuleKind, {
      metadata: { name: 'hub' },
      spec: {
        targetRef: { namespace: 'hub', name: 'mirror' },
        rules: [
          {
            scope: 'Namespaced',
            operations: ['*'],
            resources: ['configmaps'],
            excludeNames: ['kube-root-ca.crt'],
            namespaceSelector: { matchLabels: { mirror: 'yes' } },
          },
          { scope: 'Cluster', operations: ['*'], resources: ['customresourcedefinitions'] },
        ],
      },
    })
    await team.isReady()
    const rule = async (): Promise<string | undefined> => {
      const { status } = await bed.client.get(ClusterWatchRuleKind, { name: 'hub' })
      return status?.conditions?.find(({ type }) => type === 'Ready')?.reason
    }
    await until(async () => (await rule()) === 'ClusterRulesNotAllowed')
    expect(Object.keys(await team.files())).toEqual(['cluster/README.md'])
    await team.change({ allowClusterRules: true })
    await team.untilFiles((files) => Object.keys(files).length > kinds.length)
    expect(await team.files()).not.toHaveProperty([team.path('configmaps', 'far')])
    const key = { name: 'spoke' }
    const body = { metadata: { labels: { mirror: 'yes' } } }
    await bed.client.patch(NamespaceKind, key, { type: 'merge', body })
    await team.untilFiles((files) => other.path('configmaps', 'far') in files)
    await until(async () => (await rule()) === 'OK')
  })
})
