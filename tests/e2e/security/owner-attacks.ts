import { agentRun, approvalRequest, artifact, orchestrationRun, toolRun } from '@agents/jangar-api'
import {
  JobKind,
  type KindRef,
  type KubeClient,
  KubeError,
  type KubeObject,
  kindRef,
  PodKind,
  ServiceAccountKind,
} from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { Tenants } from './tenants.ts'

const runSpec = {
  agentRef: { name: 'any' },
  implementation: { inline: { text: 'Greet' } },
  runtime: { type: 'job' },
}
const container = { name: 'main', image: 'none' }
const podSpec = { serviceAccountName: 'runner', restartPolicy: 'Never', containers: [container] }

/** What belongs to runs, each with a spec. */
const owned: readonly (readonly [KindRef, object])[] = [
  [JobKind as KindRef, { template: { spec: podSpec } }],
  [kindRef(artifact) as KindRef, {}],
  [kindRef(agentRun) as KindRef, runSpec],
  [kindRef(toolRun) as KindRef, { toolRef: { name: 'any' } }],
  [kindRef(orchestrationRun) as KindRef, { orchestrationRef: { name: 'any' } }],
]

/** What `edit` of Kubernetes and of the platform has, and more: ApprovalRequests are written by nobody else. */
const writer = [
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['*'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['*'] },
  {
    apiGroups: [
      'agents.proompteng.ai',
      'tools.proompteng.ai',
      'orchestration.proompteng.ai',
      'artifacts.proompteng.ai',
      'approvals.proompteng.ai',
    ],
    resources: ['*'],
    verbs: ['*'],
  },
]

async function codeOf(request: Promise<unknown>): Promise<number> {
  try {
    await request
    return 200
  } catch (error) {
    if (error instanceof KubeError) return error.code
    throw error
  }
}

/** Tenants who make their objects those of another user's run, by owner references that they write. */
export function describeOwnerAttacks(running: () => Tenants): void {
  async function setUp() {
    const namespace = await running().namespace()
    const given = { namespace, rules: writer }
    await running().user('attacker', given)
    await running().user('trusted', given)
    const { admin } = running()
    const create = (
      client: KubeClient,
      kind: KindRef,
      name: string,
      spec: object,
      owner?: object,
    ) =>
      codeOf(
        client.create(kind, {
          metadata: { name, namespace, ...(owner && { ownerReferences: [owner] }) },
          spec,
        } as never),
      )
    const move = (client: KubeClient, kind: KindRef, name: string, ...ownerReferences: object[]) =>
      codeOf(
        client.patch(kind, { namespace, name }, {
          ...{ type: 'merge', body: { metadata: { ownerReferences } } },
        } as never),
      )
    const label = (client: KubeClient, kind: KindRef, name: string) =>
      codeOf(
        client.patch(kind, { namespace, name }, {
          ...{ type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
        } as never),
      )
    const ownerOf = ({ apiVersion, kind, metadata }: KubeObject) => ({
      ...{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true },
    })
    const attacker = running().client('attacker')
    const trusted = running().client('trusted')
    return { namespace, admin, attacker, trusted, create, move, label, ownerOf }
  }

  describe('an owner reference', () => {
    test.each(owned.map(([kind, spec]) => ({ resource: kind.plural, kind, spec })))(
      'to a kind of another group does not become one to a run: $resource',
      async ({ kind, spec }) => {
        const { namespace, admin, attacker, trusted, create, move, label, ownerOf } = await setUp()
        const runs = kindRef<KubeObject>(agentRun)
        const metadata = { name: 'victim', namespace }
        const owner = ownerOf(await admin.create(runs, { metadata, spec: runSpec } as never))
        expect(await create(attacker, kind, 'direct', spec, owner)).toBe(403)
        const halves = {
          group: { ...owner, apiVersion: 'example.com/v1' },
          kind: { ...owner, kind: 'Other' },
          controller: { ...owner, controller: false },
        }
        for (const [name, half] of Object.entries(halves)) {
          expect(await create(attacker, kind, name, spec, half)).toBe(200)
          expect(await label(attacker, kind, name)).toBe(200)
          expect(await move(attacker, kind, name, owner)).toBe(403)
        }
        // What the platform made stays as it is, and can be changed and orphaned, as the garbage collector does it.
        expect(await create(trusted, kind, 'genuine', spec, owner)).toBe(200)
        expect(await label(attacker, kind, 'genuine')).toBe(200)
        const renamed = { ...owner, name: 'other' }
        expect(await move(attacker, kind, 'genuine', renamed)).toBe(403)
        const unblocked = { ...owner, blockOwnerDeletion: false }
        expect(await move(attacker, kind, 'genuine', unblocked)).toBe(200)
        expect(await move(attacker, kind, 'genuine')).toBe(200)
        expect(await move(attacker, kind, 'genuine', owner)).toBe(403)
        expect(await move(trusted, kind, 'genuine', owner)).toBe(200)
      },
    )

    test('to a kind of another group does not make a pod one of a Job', async () => {
      const { namespace, admin, attacker, create, move, label, ownerOf } = await setUp()
      const metadata = { name: 'victim', namespace }
      const job = { metadata, spec: { suspend: true, template: { spec: podSpec } } }
      const owner = ownerOf(await admin.create(JobKind as KindRef, job as never))
      const pods = PodKind as KindRef
      await admin.create(ServiceAccountKind, { metadata: { name: 'runner', namespace } })
      expect(await create(attacker, pods, 'direct', podSpec, owner)).toBe(403)
      const halves = {
        group: { ...owner, apiVersion: 'example.com/v1' },
        kind: { ...owner, kind: 'Other' },
        controller: { ...owner, controller: false },
      }
      for (const [name, half] of Object.entries(halves)) {
        expect(await create(attacker, pods, name, podSpec, half)).toBe(200)
        expect(await label(attacker, pods, name)).toBe(200)
        expect(await move(attacker, pods, name, owner)).toBe(403)
      }
      // The controller of Jobs may write their status, creates their pods and adopts others.
      const status = { apiGroups: ['batch'], resources: ['jobs/status'], verbs: ['update'] }
      await running().user('permitted', { namespace, rules: [status, ...writer] })
      const cluster = running().client('permitted')
      expect(await create(cluster, pods, 'genuine', podSpec, owner)).toBe(200)
      expect(await label(attacker, pods, 'genuine')).toBe(200)
      expect(await move(attacker, pods, 'genuine', { ...owner, name: 'other' })).toBe(403)
      expect(await move(attacker, pods, 'genuine')).toBe(200)
      expect(await move(attacker, pods, 'genuine', owner)).toBe(403)
      expect(await move(cluster, pods, 'genuine', owner)).toBe(200)
    })

    test('does not make an ApprovalRequest that of another run', async () => {
      const { namespace, admin, attacker, trusted, create, move, ownerOf } = await setUp()
      const runs = kindRef<KubeObject>(orchestrationRun)
      const spec = { orchestrationRef: { name: 'any' } }
      const made = async (name: string) =>
        ownerOf(await admin.create(runs, { metadata: { name, namespace }, spec } as never))
      const [own, victim] = [await made('own'), await made('victim')]
      const requests = kindRef(approvalRequest) as KindRef
      const request = {
        subject: { kind: 'OrchestrationRun', name: 'own', uid: own.uid, step: 'approve' },
        policyRef: { name: 'people' },
        ...{ digest: '0'.repeat(64), summary: 'any' },
      }
      expect(await create(trusted, requests, 'request', request, own)).toBe(200)
      expect(await move(attacker, requests, 'request', victim)).toBe(403)
      expect(await move(attacker, requests, 'request', { ...own, controller: false })).toBe(200)
      expect(await move(attacker, requests, 'request', victim)).toBe(403)
      expect(await move(attacker, requests, 'request')).toBe(200)
    })
  })
}
