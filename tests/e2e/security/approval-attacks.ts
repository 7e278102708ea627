import { policyObjects } from '@agents/crd'
import { controllersConfig, type RunningControllers, startControllers } from '@agents/jangar'
import {
  type ApprovalRequest,
  admissionPolicies,
  agentProvider,
  agentRun,
  approvalRequest,
  requestedByAnnotation,
} from '@agents/jangar-api'
import { JobKind, type KindRef, KubeError, kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Authority } from '../../support/testbed/authority.ts'
import { testForgedChild } from './approval-forged-child.ts'
import { testOtherRuns } from './approval-other-runs.ts'
import { testReplacedPolicy } from './approval-replaced-policy.ts'
import {
  agentRuns,
  approvalRoom,
  decisionOf,
  decisions,
  type Room,
  requests,
  runObject,
  until,
} from './approval-room.ts'
import {
  type AnyObject,
  installPolicies,
  servesMutation,
  startTenants,
  type Tenants,
  untilRefused,
} from './tenants.ts'

const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }

/** Users who want work to run that nobody with the right to do so has approved. */
export function describeApprovalAttacks(authority: Authority): void {
  describe(`approvals on the ${authority} API server`, () => {
    let tenants: Tenants
    let controllers: RunningControllers

    beforeAll(async () => {
      tenants = await startTenants(authority)
      const served = await servesMutation(tenants.admin)
      expect(served).toBe(true)
      await installPolicies(
        tenants.admin,
        policyObjects(admissionPolicies, { prefix: 'agents', accounts: ['trusted'] }),
      )
      await untilInEffect(tenants)
      await tenants.user('trusted', { rules: [everything] })
      controllers = startControllers({
        client: tenants.client('trusted'),
        config: controllersConfig({
          JANGAR_AGENT_RUNNER_IMAGE: 'local',
          JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
          JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: '*',
          JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: '*',
          JANGAR_PRIMITIVES_NAMESPACES: '*',
          JANGAR_RBAC_CLUSTER_SCOPED: 'true',
        }),
        log: silentLogger,
      })
      await controllers.ready
    }, 300_000)

    afterAll(async () => {
      await controllers?.stop()
      await tenants?.stop()
    })

    const setUp = (policy: object = {}) => approvalRoom(tenants, policy)

    async function started(room: Room, name: string, text = 'Greet', fields: object = {}) {
      const run = runObject(room.namespace, name, text, fields)
      expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
      const request = await room.requestOf(name)
      expect(await room.waits(name)).toContain(request.metadata.name)
      return { run, request }
    }

    async function stillWaits(room: Room, name: string) {
      // Longer than a decision that counts takes to start the run.
      await new Promise((resolve) => setTimeout(resolve, 700))
      await room.waits(name)
      expect(await room.jobsOf(name)).toEqual([])
    }

    test('a run waits, whoever created it and however, and starts when it is approved', async () => {
      const room = await setUp()
      const { request } = await started(room, 'run', 'Delete the database\u001b[2K')
      expect(request.spec).toMatchObject({
        subject: { kind: 'AgentRun', name: 'run' },
        policyRef: { name: 'people' },
        requestedBy: 'attacker',
        summary: expect.stringContaining('Prompt: Delete the database'),
      })
      expect(request.spec.summary).not.toContain('\u001b')
      const decision = decisionOf(request, { by: 'developer', comment: 'fine' })
      expect(await room.developer.create(decision)).toMatchObject({ code: 201 })
      await until(async () => (await room.jobsOf('run')).length === 1)
      const { message } = (await room.reason(agentRuns, 'run', 'Admitted', 'Admitted')) ?? {}
      expect(message).toContain('approved by developer (fine)')
      await room.ignored(decision, 'Succeeded')
    })

    test('nobody decides as another user, or with a group of others', async () => {
      const room = await setUp()
      const { request } = await started(room, 'run')
      const asDeveloper = decisionOf(request, { by: 'developer' })
      expect(await room.attacker.create(asDeveloper)).toMatchObject({
        code: 422,
        message: expect.stringContaining('must be the user who creates the decision, attacker'),
      })
      const approver = { username: 'writer', groups: ['reviewers'] }
      const withGroup = decisionOf(request, { by: 'writer', approver })
      expect(await room.writer.create(withGroup)).toMatchObject({ code: 422 })
      // The platform is no exception.
      const trusted = await tenants.user('trusted')
      expect(await trusted.create(asDeveloper)).toMatchObject({ code: 422 })
      const alone = decisionOf(request, { by: 'writer' })
      expect(await room.writer.create(alone)).toMatchObject({ code: 201 })
      await room.ignored(alone, 'NotAnApprover')
      await stillWaits(room, 'run')
      const own = { username: 'member', groups: ['reviewers'] }
      const asMember = decisionOf(request, { by: 'member', approver: own })
      expect(await room.member.create(asMember)).toMatchObject({ code: 201 })
      await until(async () => (await room.jobsOf('run')).length === 1)
    })

    test('nobody approves their own run, or something else, or by changing a decision', async () => {
      const room = await setUp()
      const { request } = await started(room, 'run')
      const own = decisionOf(request, { by: 'attacker' })
      expect(await room.attacker.create(own)).toMatchObject({ code: 201 })
      await room.ignored(own, 'OwnRequest')
      const other = decisionOf(request, { by: 'developer', digest: 'a'.repeat(64) })
      expect(await room.developer.create(other)).toMatchObject({ code: 201 })
      await room.ignored(other, 'OtherDigest')
      const change = { spec: { digest: request.spec.digest } }
      expect(await room.attacker.patch(other, change)).toMatchObject({ code: 422 })
      expect(await room.developer.patch(other, change)).toMatchObject({ code: 422 })
      await stillWaits(room, 'run')
    })

    test('requests and outcomes are written by the platform only', async () => {
      const room = await setUp()
      const { request, run } = await started(room, 'run')
      const shown: AnyObject = {
        ...request,
        kind: 'ApprovalRequest',
        apiVersion: approvalRequest.apiVersion,
      }
      const now = new Date().toISOString().replace(/\.\d+/, '')
      const isTrue = (type: string, why: string) => ({
        ...{ type, status: 'True', reason: why, message: 'forged', lastTransitionTime: now },
      })
      const approved = {
        status: { conditions: [isTrue('Finished', 'Succeeded'), isTrue('Succeeded', 'Approved')] },
      }
      expect(await room.attacker.patch(shown, approved, 'status')).toMatchObject({ code: 403 })
      for (const spec of [
        { digest: 'a'.repeat(64) },
        { summary: 'Harmless' },
        { requestedBy: 'nobody' },
        { policyRef: { name: 'other' } },
        { cancel: true },
      ]) {
        const { code } = await room.attacker.patch(shown, { spec })
        expect([403, 422]).toContain(code)
      }
      const { uid } = (await tenants.admin.get(agentRuns, run.metadata)).metadata
      const owner = { apiVersion: agentRun.apiVersion, kind: 'AgentRun', name: 'run', uid }
      const forged = {
        ...shown,
        metadata: {
          ...{ name: 'forged', namespace: room.namespace },
          ownerReferences: [{ ...owner, controller: true }],
        },
      }
      expect(await room.attacker.create(forged)).toMatchObject({ code: 403 })
      const admitted = {
        status: {
          conditions: ['Accepted', 'Admitted'].map((type) => isTrue(type, type)),
        },
      }
      expect(await room.attacker.patch(run, admitted, 'status')).toMatchObject({ code: 200 })
      await until(
        async () => (await room.conditionOf(agentRuns, 'run', 'Finished'))?.status === 'True',
        'the forged admission has an effect',
      )
      const { message } = (await room.conditionOf(agentRuns, 'run', 'Succeeded')) ?? {}
      expect(message).toContain('has not approved what would run now')
      expect(await room.jobsOf('run')).toEqual([])
    })

    test('an approval is for one run: another one of the same name needs its own', async () => {
      const room = await setUp({ quorum: 1 })
      const { request, run } = await started(room, 'run')
      await tenants.admin.delete(agentRuns, run.metadata)
      await until(
        async () =>
          (await tenants.admin.list(agentRuns, { namespace: room.namespace })).items.length === 0,
      )
      // Decided about what was asked before, a moment too late.
      const late = decisionOf(request, { by: 'developer' })
      expect(await room.developer.create(late)).toMatchObject({ code: 201 })
      const { request: again } = await started(room, 'run', 'Delete the database')
      expect(again.metadata.name).not.toBe(request.metadata.name)
      await stillWaits(room, 'run')
      const replayed = decisionOf(again, { by: 'developer', digest: request.spec.digest })
      expect(await room.developer.create(replayed)).toMatchObject({ code: 201 })
      await room.ignored(replayed, 'OtherDigest')
      await stillWaits(room, 'run')
    })

    test('two approvals of one user are one; a quorum needs different users', async () => {
      const room = await setUp({ quorum: 2 })
      const { request } = await started(room, 'run')
      const [first, second] = [
        decisionOf(request, { by: 'developer' }),
        decisionOf(request, { by: 'developer' }),
      ]
      await room.developer.create(first)
      await room.reason(decisions as KindRef, first.metadata.name, 'Succeeded', 'Succeeded')
      await room.developer.create(second)
      await room.ignored(second, 'AlreadyDecided')
      await stillWaits(room, 'run')
      const approver = { username: 'member', groups: ['reviewers'] }
      await room.member.create(decisionOf(request, { by: 'member', approver }))
      await until(async () => (await room.jobsOf('run')).length === 1)
    })

    test('a single denial denies, and later approvals change nothing', async () => {
      const room = await setUp({ quorum: 2 })
      const { request } = await started(room, 'run')
      await room.developer.create(
        decisionOf(request, { by: 'developer', decision: 'Deny', comment: 'no' }),
      )
      const { message } = (await room.reason(agentRuns, 'run', 'Succeeded', 'ApprovalDenied')) ?? {}
      expect(message).toContain('denied by developer (no)')
      const late = decisionOf(request, {
        by: 'member',
        approver: { username: 'member', groups: ['reviewers'] },
      })
      await room.member.create(late)
      await room.ignored(late, 'RequestFinished')
      expect(await room.jobsOf('run')).toEqual([])
    })

    test('a decision after the deadline does not count', async () => {
      const room = await setUp({ expiresAfterSeconds: 1 })
      const run = runObject(room.namespace, 'run', 'Greet')
      expect(await room.attacker.create(run)).toMatchObject({ code: 201 })
      await room.reason(agentRuns, 'run', 'Succeeded', 'ApprovalExpired')
      const { items } = await tenants.admin.list(requests, { namespace: room.namespace })
      const late = decisionOf(items[0] as ApprovalRequest, { by: 'developer' })
      expect(await room.developer.create(late)).toMatchObject({ code: 201 })
      await room.ignored(late, 'Late')
      expect(await room.jobsOf('run')).toEqual([])
    })

    test('a change of what would run withdraws the request and asks again', async () => {
      const room = await setUp()
      const { request } = await started(room, 'run')
      const name = { namespace: room.namespace, name: 'shell' }
      const body = { spec: { binary: '/bin/other' } }
      await tenants.admin.patch(kindRef(agentProvider), name, { type: 'merge', body })
      await room.developer.create(decisionOf(request, { by: 'developer' }))
      let again = request
      await until(async () => {
        again = await room.requestOf('run')
        return again.metadata.name !== request.metadata.name
      })
      await stillWaits(room, 'run')
      expect(again.spec.summary).toContain('/bin/other')
      await room.developer.create(decisionOf(again, { by: 'developer' }))
      await until(async () => (await room.jobsOf('run')).length === 1)
    })

    test('a further attempt runs what was approved, or nothing', async () => {
      const room = await setUp()
      const { request } = await started(room, 'run', 'Greet', { retries: 2 })
      await room.developer.create(decisionOf(request, { by: 'developer' }))
      await until(async () => (await room.jobsOf('run')).length === 1)
      const failed = async () => {
        const [job] = await room.jobsOf('run')
        await tenants.admin.delete(JobKind, job?.metadata ?? { name: '' }, {
          propagationPolicy: 'Background',
        })
        return job?.metadata.name
      }
      const first = await failed()
      await until(async () => {
        const [job] = await room.jobsOf('run')
        return job !== undefined && job.metadata.name !== first
      }, 'there is no second attempt')
      const name = { namespace: room.namespace, name: 'shell' }
      const body = { spec: { binary: '/bin/other' } }
      await tenants.admin.patch(kindRef(agentProvider), name, { type: 'merge', body })
      const second = await failed()
      const finished = async () => room.conditionOf(agentRuns, 'run', 'Finished')
      await until(async () => (await finished())?.status === 'True')
      expect((await finished())?.message).toContain('has not approved what would run now')
      expect((await room.jobsOf('run')).map(({ metadata }) => metadata.name)).not.toContain(second)
    })

    testOtherRuns(() => tenants)
    testReplacedPolicy(() => tenants)
    testForgedChild(() => tenants)

    test('approvals do not count where the API server does not verify who decides', async () => {
      const room = await setUp()
      const name = 'agents-approvers.approvals.proompteng.ai'
      const path = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/${name}`
      const { bytes } = await tenants.admin.request({
        method: 'GET',
        path,
        accept: 'application/json',
      })
      const { metadata: _, ...binding } = JSON.parse(bytes.toString('utf8'))
      await tenants.admin.request({ method: 'DELETE', path })
      const { request } = await started(room, 'run')
      const { message } =
        (await room.reason(requests as KindRef, request.metadata.name, 'Verified', 'Unverified')) ??
        {}
      expect(message).toContain('does not verify who decides')
      const forged = decisionOf(request, { by: 'developer' })
      // The API server goes on for a moment with what is deleted.
      await until(async () => (await room.attacker.create(forged)).code === 201)
      await stillWaits(room, 'run')
      await room.ignored(forged, 'Unverified')
      await installPolicies(tenants.admin, [{ ...binding, metadata: { name } }])
      await untilRefused(async () => {
        const { code, ...rest } = await room.attacker.create(
          decisionOf(request, { by: 'developer' }),
        )
        return { ...rest, code: code === 422 ? 403 : code }
      })
      // What was forged meanwhile does not count later either.
      await room.reason(requests as KindRef, request.metadata.name, 'Verified', 'Verified')
      await stillWaits(room, 'run')
      await room.developer.create(decisionOf(request, { by: 'developer' }))
      await until(async () => (await room.jobsOf('run')).length === 1)
    })
  })
}

/** Admission policies take effect a moment after their creation. */
async function untilInEffect({ admin, namespace }: Tenants): Promise<void> {
  const place = await namespace()
  const forged = {
    metadata: { name: 'forged', namespace: place },
    spec: {
      requestRef: { name: 'any' },
      digest: '0'.repeat(64),
      decision: 'Deny',
      approver: { username: 'nobody' },
    },
  } as never
  const run = runObject(place, 'run', 'Greet') as never
  await until(async () => {
    // kube-apiserver cannot mutate objects of a kind until it has published the kind's schema.
    const made = await admin.create(agentRuns, run, { dryRun: true }).catch(unlessUnavailable)
    const refused = await admin.create(decisions, forged, { dryRun: true }).catch(() => undefined)
    return refused === undefined && made?.metadata.annotations?.[requestedByAnnotation] === 'admin'
  })
}

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof KubeError) || error.code !== 503) throw error
}
