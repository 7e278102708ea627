import type { GitTarget } from '@agents/gittarget-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionsOf, GitTargetKind, TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'

/** The statuses that are persisted for a new GitTarget, in order, on one server. */
export function goldenPathScenario(start: StartServer): void {
  let bed: TestBed
  beforeAll(async () => {
    bed = await TestBed.start(start)
    await bed.startOperator()
  }, 60_000)
  afterAll(() => bed.stop())

  test('a new target goes from PENDING to RUNNING, and writes no status twice', async () => {
    const remote = await bed.remote()
    const team = await bed.team('golden', remote, { target: false, resources: ['configmaps'] })
    await team.configMap('a', { level: 'info' })
    const seen = await watchTarget('golden')
    await team.createTarget()
    await team.isReady()
    // No further status follows the last one.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await seen.stop()
    const [created, ...written] = seen.targets
    expect(created?.status?.conditions).toBeUndefined()
    expect(written.map(({ status }) => status?.phase)).toEqual([
      'PENDING',
      'BOOTSTRAPPING',
      'SYNCING',
      'RUNNING',
    ])
    expect(conditionsOf(written[0] as GitTarget)).toEqual([
      'Ready=False/NotChecked',
      'Reconciling=True/NotChecked',
      'Validated=Unknown/NotChecked',
      'EncryptionConfigured=Unknown/NotChecked',
      'Bootstrapped=Unknown/NotChecked',
      'SnapshotSynced=Unknown/NotChecked',
      'EventStreamLive=Unknown/NotChecked',
    ])
    expect(conditionsOf(written[1] as GitTarget)).toEqual([
      'Ready=False/NotChecked',
      'Reconciling=True/NotChecked',
      'Validated=True/OK',
      'EncryptionConfigured=True/NotRequired',
      'Bootstrapped=Unknown/NotChecked',
      'SnapshotSynced=Unknown/NotChecked',
      'EventStreamLive=Unknown/NotChecked',
    ])
    expect(conditionsOf(written[2] as GitTarget)).toEqual([
      'Ready=False/InitialSyncInProgress',
      'Reconciling=True/Running',
      'Validated=True/OK',
      'EncryptionConfigured=True/NotRequired',
      'Bootstrapped=True/BootstrapApplied',
      'SnapshotSynced=False/Running',
      'EventStreamLive=Unknown/Blocked',
    ])
    expect(conditionsOf(written[3] as GitTarget)).toEqual([
      'Ready=True/OK',
      'Validated=True/OK',
      'EncryptionConfigured=True/NotRequired',
      'Bootstrapped=True/BootstrapApplied',
      'SnapshotSynced=True/Completed',
      'EventStreamLive=True/Registered',
    ])
    const tip = await remote.tip('main')
    expect(written[3]?.status).toMatchObject({
      observedGeneration: 1,
      encryption: { mode: 'Disabled' },
      bootstrap: { targetPath: 'cluster', commit: tip },
      snapshot: { lastCommit: tip, stats: { created: 1, updated: 0, deleted: 0 } },
      stream: { status: 'Live', total: 1, live: 1 },
      push: { lastCommit: tip, recentCommits: [{ commit: tip }], pendingChanges: 0 },
    })
    expect(written[2]?.status?.workerRef?.name).toContain('#main')
  })

  async function watchTarget(namespace: string) {
    const targets: GitTarget[] = []
    const control = new AbortController()
    const { metadata } = await bed.client.list(GitTargetKind, { namespace })
    const stream = await bed.client.watch(GitTargetKind, {
      namespace,
      resourceVersion: metadata.resourceVersion,
      signal: control.signal,
    })
    const reading = (async () => {
      for await (const event of stream) if ('object' in event) targets.push(event.object)
    })().catch(() => undefined)
    return {
      targets,
      stop: async () => {
        control.abort(new Error('seen enough'))
        await reading
      },
    }
  }
}
