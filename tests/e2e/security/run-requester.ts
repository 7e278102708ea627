import { requestedByAnnotation, runCleanupFinalizer, triggerMetadata } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { agentRun } from './admission-probes.ts'
import { secrets, writeOurs } from './tenant-rights.ts'
import type { Tenants } from './tenants.ts'

/**
 * Tenants that claim that another user requested their run. `stamps` tells whether the server enforces mutating
 * policies.
 */
export function describeRunRequester(running: () => Tenants, stamps: () => boolean): void {
  describe('the requester of a run', () => {
    test('is stamped, or at least cannot be forged', async () => {
      const namespace = await running().namespace()
      const permitted = await running().user('permitted', {
        namespace,
        rules: [writeOurs, secrets(['get'])],
      })
      const forged = agentRun(namespace, { [requestedByAnnotation]: 'developer' })
      const { code, object } = await permitted.create(forged)
      if (stamps()) expect([code, stampOf(object)]).toEqual([201, 'permitted'])
      else expect(code).toBe(403)
      const honest = { ...agentRun(namespace), metadata: { name: 'honest', namespace } }
      expect(await permitted.create(honest)).toMatchObject({ code: 201 })
      const created = stampOf((await permitted.get(honest)).object)
      expect(created).toBe(stamps() ? 'permitted' : undefined)
      for (const value of ['developer', null]) {
        const change = { metadata: { annotations: { [requestedByAnnotation]: value } } }
        await permitted.patch(honest, change)
        expect(stampOf((await permitted.get(honest)).object)).toBe(created)
      }
      expect(await permitted.patch(honest, { spec: { cancel: true } })).toMatchObject({ code: 200 })
      expect(
        await permitted.patch(honest, { metadata: { annotations: { note: 'a' } } }),
      ).toMatchObject({ code: 200 })
    })

    test('does not affect the finalizer, which only AgentRuns get, beside their own', async () => {
      const namespace = await running().namespace()
      const permitted = await running().user('permitted', {
        namespace,
        rules: [
          writeOurs,
          secrets(['get']),
          { apiGroups: ['tools.proompteng.ai'], resources: ['toolruns'], verbs: ['create'] },
        ],
      })
      const own = 'example.com/own'
      const run = agentRun(namespace)
      const metadata: object = { ...run.metadata, finalizers: [own] }
      const { object } = await permitted.create({ ...run, metadata } as typeof run)
      const expected = stamps() ? [own, runCleanupFinalizer] : [own]
      expect(finalizersOf(object).toSorted()).toEqual(expected.toSorted())
      const toolRun = await permitted.create({
        apiVersion: 'tools.proompteng.ai/v1alpha1',
        kind: 'ToolRun',
        metadata: { name: 'tool', namespace },
        spec: { toolRef: { name: 'formatter' } },
      })
      expect(toolRun).toMatchObject({ code: 201 })
      expect(finalizersOf(toolRun.object)).toEqual([])
    })

    test('is added whatever else a client has set already', async () => {
      const namespace = await running().namespace()
      const permitted = await running().user('permitted', {
        namespace,
        rules: [writeOurs, secrets(['get'])],
      })
      const annotations = { [requestedByAnnotation]: 'permitted' }
      const finalizers = [runCleanupFinalizer]
      for (const [at, sent] of [
        { annotations },
        { finalizers },
        { annotations, finalizers },
        { annotations: {}, finalizers: [] },
        { annotations: null, finalizers: null },
        { annotations: { 'example.com/a': 'b' } },
      ].entries()) {
        const run = agentRun(namespace)
        const metadata = { ...run.metadata, name: `sent-${at}`, ...sent }
        const { code, object } = await permitted.create({ ...run, metadata } as typeof run)
        expect(code).toBe(201)
        if (!stamps()) continue
        expect([stampOf(object), finalizersOf(object)]).toEqual(['permitted', finalizers])
        expect(object).toMatchObject({ metadata: { annotations: sent.annotations ?? {} } })
      }
    })

    test.each([
      { field: 'labels', empty: {} },
      { field: 'annotations', empty: {} },
      { field: 'finalizers', empty: [] },
      { field: 'ownerReferences', empty: [] },
    ])(
      'is added to a run that is applied with empty $field, as by a template',
      async ({ field, empty }) => {
        const namespace = await running().namespace()
        const rules = [writeOurs, secrets(['get'])]
        const { apply } = await running().user('permitted', { namespace, rules })
        for (const [at, value] of [empty, null].entries()) {
          const run = agentRun(namespace)
          const metadata = { ...run.metadata, name: `empty-${at}`, [field]: value }
          const { code, message, object } = await apply({ ...run, metadata } as typeof run)
          expect([code, message]).toEqual([201, ''])
          if (stamps()) expect(stampOf(object)).toBe('permitted')
        }
      },
    )

    test('and who triggered it are set by the platform alone', async () => {
      const namespace = await running().namespace()
      const rules = [writeOurs, secrets(['get'])]
      const permitted = await running().user('permitted', { namespace, rules })
      const trusted = await running().user('trusted', { namespace, rules })
      const claims = (['labels', 'annotations'] as const).flatMap((field) =>
        Object.values(triggerMetadata[field]).map((key) => ({ [field]: { [key]: 'claimed' } })),
      )
      const run = agentRun(namespace)
      const named = (name: string, more: object = {}) =>
        ({ ...run, metadata: { ...more, name, namespace } }) as typeof run
      const own = { labels: { team: 'core' }, annotations: { note: 'a' } }
      expect(await permitted.create(named('own', own))).toMatchObject({ code: 201 })
      for (const [at, claim] of claims.entries()) {
        const because = JSON.stringify(claim)
        expect((await permitted.create(named(`claim-${at}`, claim))).code, because).toBe(403)
        expect((await permitted.patch(named('own'), { metadata: claim })).code, because).toBe(403)
        expect((await trusted.create(named(`run-${at}`, claim))).code, because).toBe(201)
        const removal = JSON.parse(JSON.stringify(claim).replace('"claimed"', 'null'))
        const removed = await permitted.patch(named(`run-${at}`), { metadata: removal })
        expect(removed.code, because).toBe(403)
        const other = await permitted.patch(named(`run-${at}`), { metadata: own })
        expect(other.code, because).toBe(200)
      }
    })

    test('can be set by the accounts of the platform, once', async () => {
      const namespace = await running().namespace()
      const trusted = await running().user('trusted', {
        namespace,
        rules: [writeOurs, secrets(['get'])],
      })
      const run = agentRun(namespace, { [requestedByAnnotation]: 'developer' })
      const { code, object } = await trusted.create(run)
      expect([code, stampOf(object)]).toEqual([201, 'developer'])
      expect(finalizersOf(object)).toEqual(stamps() ? [runCleanupFinalizer] : [])
      const change = { metadata: { annotations: { [requestedByAnnotation]: 'editor' } } }
      expect(await trusted.patch(run, change)).toMatchObject({ code: 403 })
    })
  })
}

function finalizersOf(object: Readonly<Record<string, unknown>>): readonly string[] {
  return (object.metadata as { finalizers?: string[] }).finalizers ?? []
}

/** The requester of a run, from its annotation. */
export function stampOf(object: Readonly<Record<string, unknown>>): string | undefined {
  const { annotations } = object.metadata as { annotations?: Record<string, string> }
  return annotations?.[requestedByAnnotation]
}
