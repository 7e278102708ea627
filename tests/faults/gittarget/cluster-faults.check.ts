import {
  CustomResourceDefinitionKind,
  type KubeObject,
  kindRef,
  NamespaceKind,
  RoleKind,
} from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilEqual } from '../../support/gittarget/branch-contents.ts'
import { ClusterWatchRuleKind, TestBed, WatchRuleKind } from '../../support/gittarget/test-bed.ts'
import { faultServers } from '../../support/testbed/fault-servers.ts'
import { until } from '../../support/testbed/until.ts'
import { faultyClient, type WatchFaults } from './faulty-client.ts'

let bed: TestBed
let faults: WatchFaults
let crash: () => Promise<void>

beforeAll(async () => {
  bed = await TestBed.start(async () => {
    const server = await faultServers.embedded()
    crash = () => server.crash()
    return { name: 'embedded', connection: server.connection, stop: () => server.stop() }
  })
  await startOperator()
})
afterAll(() => bed.stop())

async function startOperator(
  from: Partial<Pick<WatchFaults, 'cutLists' | 'forbidden'>> = {},
): Promise<void> {
  const faulty = faultyClient(bed.client)
  faults = Object.assign(faulty.faults, from)
  await bed.startOperator(faulty.client)
}

describe('the API server', () => {
  test.each(['OnEvent', 'Always'] as const)(
    'expires a watch: changes and deletions that happened meanwhile are caught up (%s)',
    async (mode) => {
      const team = await bed.team(`late-${mode.toLowerCase()}`, await bed.remote(), {
        target: { prune: { mode, maxDeleteFraction: 0.5 } },
        resources: ['configmaps'],
      })
      for (const name of ['a', 'b', 'c']) await team.configMap(name, { version: '1' })
      await team.isReady()
      await untilEqual(team)
      faults.blocked = 'configmaps'
      faults.end('configmaps')
      await team.until('EventStreamLive=False/Disconnected')
      await team.deleteConfigMap('a')
      await team.configMap('b', { version: '2' })
      await team.configMap('new', { version: '1' })
      faults.expired = 'configmaps'
      faults.blocked = undefined
      await untilEqual(team)
      expect(faults.expired).toBeUndefined()
      await team.isReady()
    },
  )

  test('aborts a list half-way: nothing is deleted, and the mirror converges afterwards', async () => {
    const team = await bed.team('half', await bed.remote(), {
      target: { prune: { mode: 'Always', maxDeleteFraction: 1 } },
      resources: ['configmaps'],
    })
    const names = Array.from({ length: 40 }, (_none, index) => `c${index}`)
    for (const name of names) await team.configMap(name, { version: '1' })
    await team.isReady()
    await untilEqual(team)
    await bed.stopOperator()
    const tip = await team.remote.tip('main')
    await team.deleteConfigMap('c7')
    await startOperator({ cutLists: { plural: 'configmaps', after: 10 } })
    await until(() => bed.operator.components.mirrors.state('half/mirror')?.opening.kind === 'open')
    // The branch has been read, and each attempt since then received only a part of the objects.
    const cuts = faults.cuts
    await until(() => faults.cuts >= cuts + 3)
    expect(await team.remote.tip('main')).toBe(tip)
    faults.cutLists = undefined
    await untilEqual(team)
    const removed = await team.remote.git('diff', '--name-status', tip ?? '', 'main')
    expect(removed).toBe(`D\t${team.path('configmaps', 'c7')}`)
  })

  test('denies access to a type: its files stay, other types continue, and the status names the missing permission', async () => {
    const team = await bed.team('forbidden', await bed.remote(), {
      target: { prune: { mode: 'Always', maxDeleteFraction: 1 } },
    })
    await team.configMap('a', { version: '1' })
    await team.client.create(RoleKind, { metadata: { name: 'role', namespace: 'forbidden' } })
    await team.watch(['configmaps', 'roles'])
    await team.isReady()
    const role = 'cluster/forbidden/rbac.authorization.k8s.io/roles/role.yaml'
    await team.untilFiles((files) => role in files)
    await bed.stopOperator()
    await team.configMap('a', { version: '2' })
    await startOperator({ forbidden: 'roles' })
    await team.until('EventStreamLive=False/RegistrationFailed')
    const { status } = await team.target()
    const live = status?.conditions?.find(({ type }) => type === 'EventStreamLive')
    expect(live?.message).toContain(
      'roles.rbac.authorization.k8s.io; grant the permission with RBAC',
    )
    await until(async () => {
      const rule = await bed.client.get(WatchRuleKind, { namespace: 'forbidden', name: 'rule' })
      return rule.status?.conditions?.some(({ reason }) => reason === 'Forbidden')
    })
    await untilEqual(team)
    expect(await team.files()).toHaveProperty([role])
    faults.forbidden = undefined
    await team.isReady()
    expect(await team.files()).toHaveProperty([role])
  })

  test('is killed and restarted: nothing is lost, nothing is deleted', async () => {
    const team = await bed.team('crash', await bed.remote(), { resources: ['configmaps'] })
    for (const name of ['a', 'b', 'c']) await team.configMap(name, { version: '1' })
    await team.isReady()
    await untilEqual(team)
    const before = await team.commits()
    await crash()
    await team.configMap('a', { version: '2' })
    await team.deleteConfigMap('b')
    await untilEqual(team)
    await team.isReady()
    const deleted = await team.remote.git('log', '--diff-filter=D', '--format=', '--name-only')
    expect(deleted).toBe(team.path('configmaps', 'b'))
    expect(await team.commits()).toBeLessThanOrEqual(before + 2)
  })
})

describe('the resources that rules refer to', () => {
  const group = 'mirror.test'
  const Thing = kindRef<KubeObject>({
    group,
    version: 'v1',
    kind: 'Thing',
    plural: 'things',
    scope: 'Namespaced',
  } as never)
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const define = async (): Promise<void> => {
    await bed.client.create(CustomResourceDefinitionKind, {
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: anything } },
        ],
      },
    } as never)
  }

  test('a kind that is removed and defined again: its files are deleted, others stay, and new ones are written', async () => {
    const team = await bed.team('kinds', await bed.remote(), {
      // Longer than it takes to notice that the kind was removed.
      provider: { push: { commitWindow: '2s', maxWindow: '5s' } },
      resources: ['configmaps'],
    })
    await team.configMap('stays', { a: 'b' })
    await team.client.create(WatchRuleKind, {
      metadata: { name: 'things', namespace: team.namespace },
      spec: { targetRef: { name: 'mirror' }, rules: [{ resources: ['things'] }] },
    } as never)
    await team.until('EventStreamLive=False/RegistrationFailed')
    await untilEqual(team)
    const file = `cluster/kinds/${group}/things/one.yaml`
    const createThing = () =>
      until(() =>
        team.client
          .create(Thing, { metadata: { name: 'one', namespace: 'kinds' }, spec: { a: 1 } } as never)
          .then(
            () => true,
            () => false,
          ),
      )
    await define()
    await createThing()
    await team.untilFiles((files) => file in files)
    await team.isReady()
    await team.client.delete(CustomResourceDefinitionKind, { name: `things.${group}` })
    await team.untilFiles((files) => !(file in files))
    await team.until('EventStreamLive=False/RegistrationFailed')
    await define()
    await createThing()
    await team.untilFiles((files) => file in files)
    await team.isReady()
    await untilEqual(team)
  })

  test('a namespace selected by its labels is deleted together with its files', async () => {
    const team = await bed.team('cluster-wide', await bed.remote(), {
      provider: { push: { commitWindow: '2s', maxWindow: '5s' } },
      target: { allowClusterRules: true },
    })
    await bed.client.create(NamespaceKind, {
      metadata: { name: 'chosen', labels: { mirrored: 'yes' } },
    })
    await team.client.create(ClusterWatchRuleKind, {
      metadata: { name: 'chosen' },
      spec: {
        targetRef: { namespace: 'cluster-wide', name: 'mirror' },
        rules: [
          {
            scope: 'Namespaced',
            resources: ['configmaps'],
            namespaceSelector: { matchLabels: { mirrored: 'yes' } },
            excludeNames: ['kube-root-ca.crt'],
          },
        ],
      },
    } as never)
    const key = { name: 'a', namespace: 'chosen' }
    await bed.client.request({
      method: 'POST',
      path: '/api/v1/namespaces/chosen/configmaps',
      body: { metadata: key, data: { a: 'b' } },
    })
    const file = 'cluster/chosen/core/configmaps/a.yaml'
    await team.untilFiles((files) => file in files)
    await bed.client.delete(NamespaceKind, { name: 'chosen' })
    await team.untilFiles((files) => !(file in files))
  })
})
