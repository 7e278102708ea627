import { agentRun, type Workspace, workspace } from '@agents/jangar-api'
import { isNotFound, kindRef, PersistentVolumeClaimKind } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type StartServer, servers } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'

const workspaces = kindRef<Workspace>(workspace)
const runs = kindRef(agentRun)
const anHour = 3_600_000

describe.each(await serversOfTier())('workspaces on the %s server', (name) => {
  suite(servers[name])
})

function suite(start: StartServer): void {
  const client = agentsServer(start)

  async function setUp(existing?: string) {
    const harness = await startAgents(client(), existing)
    const { namespace } = harness
    const key = { namespace, name: 'cache' }
    const claim = () => client().get(PersistentVolumeClaimKind, key)
    const hasNoClaim = () => claim().then(() => false, isNotFound)
    /** What a provisioner does: neither server has one. */
    const bind = async () => {
      await until(() =>
        claim().then(
          () => true,
          () => false,
        ),
      )
      const spec = { volumeName: 'volume-1' }
      await client().patch(PersistentVolumeClaimKind, key, { type: 'merge', body: { spec } })
      const status = { phase: 'Bound', capacity: { storage: '1Gi' } }
      const patch = { type: 'merge', body: { status } } as const
      await client().patch(PersistentVolumeClaimKind, key, patch, { subresource: 'status' })
    }
    /** What kube-controller-manager does when no pod uses a claim that is being deleted. */
    const release = async () => {
      await until(() =>
        claim().then(({ metadata }) => metadata.deletionTimestamp !== undefined, isNotFound),
      )
      const body = { metadata: { finalizers: null } }
      const patch = { type: 'merge', body } as const
      await client().patch(PersistentVolumeClaimKind, key, patch).catch(ignoreGone)
    }
    const current = () => client().get(workspaces, key)
    /** A run that mounts the workspace, and what its status says. */
    const run = async (name: string, finishedAt?: Date) => {
      const volumes = [
        { type: 'workspace', name: 'cache', mountPath: '/cache', workspaceName: 'cache' },
      ]
      const spec = {
        agentRef: { name: 'missing' },
        implementation: { inline: { text: 'Greet' } },
        runtime: { type: 'job' },
        workload: { volumes },
      }
      await harness.create(runs, name, { spec })
      if (finishedAt !== undefined) await finish(name, finishedAt)
    }
    const finish = async (name: string, at: Date) => {
      const lastTransitionTime = at.toISOString().replace(/\.\d+/, '')
      const ends = { status: 'True', reason: 'Succeeded', message: 'done', lastTransitionTime }
      const conditions = ['Succeeded', 'Finished'].map((type) => ({ type, ...ends }))
      const status = { phase: 'Succeeded', conditions, finishedAt: lastTransitionTime }
      const patch = { type: 'merge', body: { status } } as const
      await client().patch(runs, { namespace, name }, patch, { subresource: 'status' })
    }
    return { ...harness, bind, claim, current, finish, hasNoClaim, release, run }
  }

  test('has a claim of its name, which it owns, and is ready when the claim is bound', async () => {
    const { create, waitForCondition, bind, claim, current, ready } = await setUp()
    await create(workspaces, 'cache', { spec: { size: '1Gi' } })
    await waitForCondition(workspaces, 'cache', 'VolumeBound', 'Provisioning')
    const { metadata, spec } = await claim()
    expect(spec).toMatchObject({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    })
    const { uid } = (await current()).metadata
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Workspace', uid, controller: true }])
    await bind()
    await ready(workspaces, 'cache')
    expect((await current()).status).toMatchObject({ phase: 'Ready', volumeName: 'volume-1' })
  })

  test.each([
    { spec: {}, reason: 'MissingSize', text: 'spec.size' },
    { spec: { size: 'huge' }, reason: 'InvalidSize', text: 'spec.size is huge' },
    { spec: { size: '-1Gi' }, reason: 'InvalidSize', text: 'positive' },
    { spec: { size: '0' }, reason: 'InvalidSize', text: 'positive' },
    {
      spec: { size: '1Gi', accessModes: ['ReadWriteAlways'] },
      reason: 'InvalidAccessMode',
      text: 'spec.accessModes has ReadWriteAlways',
    },
  ])('is invalid, and has no claim: $reason $spec', async ({ spec, reason, text }) => {
    const { create, waitForCondition, hasNoClaim, current } = await setUp()
    await create(workspaces, 'cache', { spec })
    await waitForCondition(workspaces, 'cache', 'Validated', reason, text)
    expect((await current()).status?.phase).toBe('Invalid')
    expect(await hasNoClaim()).toBe(true)
  })

  test('neither adopts nor deletes a claim of somebody else', async () => {
    const { create, waitForCondition, skip, touch, claim } = await setUp()
    await create(PersistentVolumeClaimKind, 'cache', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
    })
    await create(workspaces, 'cache', { spec: { size: '1Gi', ttlSeconds: 60 } })
    await waitForCondition(workspaces, 'cache', 'VolumeBound', 'ClaimConflict')
    skip(anHour)
    await touch(workspaces, 'cache')
    await waitForCondition(workspaces, 'cache', 'VolumeBound', 'Expired')
    await touch(workspaces, 'cache')
    const { metadata, spec } = await claim()
    expect(metadata.deletionTimestamp).toBeUndefined()
    expect(spec.resources?.requests).toEqual({ storage: '5Gi' })
  })

  test('expires after its last use, not before, and does not come back', async () => {
    const { create, waitForCondition, bind, current, ready, run, finish, ...rest } = await setUp()
    const { skip, touch, hasNoClaim, namespace, release } = rest
    await create(workspaces, 'cache', { spec: { size: '1Gi', ttlSeconds: 3600 } })
    await bind()
    await ready(workspaces, 'cache')
    await run('uses')
    skip(2 * anHour)
    await touch(workspaces, 'cache')
    expect((await current()).status?.phase).toBe('Ready')
    const end = new Date(Date.now() + 2 * anHour)
    await finish('uses', end)
    await until(async () => (await current()).status?.lastUsedAt !== undefined)
    // The time of the last use outlives the run.
    await client().delete(runs, { namespace, name: 'uses' })
    skip(anHour / 2)
    await touch(workspaces, 'cache')
    expect((await current()).status?.phase).toBe('Ready')
    skip(anHour)
    await touch(workspaces, 'cache')
    await waitForCondition(workspaces, 'cache', 'VolumeBound', 'Expired')
    await release()
    await until(hasNoClaim)
    await until(async () => (await current()).status?.conditions?.some(isStalled) === true)
    expect((await current()).status).toMatchObject({ phase: 'Expired' })
    // Another process, and a change of the spec, find it expired.
    const other = await setUp(namespace)
    await client().patch(
      workspaces,
      { namespace, name: 'cache' },
      {
        type: 'merge',
        body: { spec: { ttlSeconds: 86_400 } },
      },
    )
    await other.touch(workspaces, 'cache')
    expect((await current()).status?.phase).toBe('Expired')
    expect(await hasNoClaim()).toBe(true)
  })

  test('is lost if its claim is deleted: a new volume would be empty', async () => {
    const { create, waitForCondition, bind, ready, namespace, hasNoClaim, release } = await setUp()
    await create(workspaces, 'cache', { spec: { size: '1Gi' } })
    await bind()
    await ready(workspaces, 'cache')
    const key = { namespace, name: 'cache' }
    await client().delete(PersistentVolumeClaimKind, key)
    await release()
    await waitForCondition(workspaces, 'cache', 'VolumeBound', 'VolumeLost')
    expect(await hasNoClaim()).toBe(true)
  })

  test('cannot be changed, and says which field', async () => {
    const { create, waitForCondition, bind, ready, namespace } = await setUp()
    await create(workspaces, 'cache', { spec: { size: '1Gi' } })
    await bind()
    await ready(workspaces, 'cache')
    const change = (spec: object) =>
      client().patch(workspaces, { namespace, name: 'cache' }, { type: 'merge', body: { spec } })
    await change({ size: '2Gi' })
    await waitForCondition(workspaces, 'cache', 'Validated', 'VolumeImmutable', 'spec.size')
    await change({ size: '1024Mi' })
    await ready(workspaces, 'cache')
    await change({ accessModes: ['ReadWriteMany'] })
    await waitForCondition(workspaces, 'cache', 'Validated', 'VolumeImmutable', 'spec.accessModes')
  })
}

function isStalled({ type, status }: { type: string; status: string }): boolean {
  return type === 'Stalled' && status === 'True'
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
