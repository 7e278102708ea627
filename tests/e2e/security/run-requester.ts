import { requestedByAnnotation, runCleanupFinalizer } from '@agents/jangar-api'
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
      const peggy = await running().user('peggy', {
        namespace,
        rules: [writeOurs, secrets(['get'])],
      })
      const forged = agentRun(namespace, { [requestedByAnnotation]: 'alice' })
      const { code, object } = await peggy.create(forged)
      if (stamps()) expect([code, stampOf(object)]).toEqual([201, 'peggy'])
      else expect(code).toBe(403)
      const honest = { ...agentRun(namespace), metadata: { name: 'honest', namespace } }
      expect(await peggy.create(honest)).toMatchObject({ code: 201 })
      const created = stampOf((await peggy.get(honest)).object)
      expect(created).toBe(stamps() ? 'peggy' : undefined)
      for (const value of ['alice', null]) {
        const change = { metadata: { annotations: { [requestedByAnnotation]: value } } }
        await peggy.patch(honest, change)
        expect(stampOf((await peggy.get(honest)).object)).toBe(created)
      }
      expect(await peggy.patch(honest, { spec: { cancel: true } })).toMatchObject({ code: 200 })
      expect(await peggy.patch(honest, { metadata: { annotations: { note: 'a' } } })).toMatchObject(
        { code: 200 },
      )
    })

    test('does not affect the finalizer, which only AgentRuns get, beside their own', async () => {
      const namespace = await running().namespace()
      const peggy = await running().user('peggy', {
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
      const { object } = await peggy.create({ ...run, metadata } as typeof run)
      const expected = stamps() ? [own, runCleanupFinalizer] : [own]
      expect(finalizersOf(object).toSorted()).toEqual(expected.toSorted())
      const toolRun = await peggy.create({
        apiVersion: 'tools.proompteng.ai/v1alpha1',
        kind: 'ToolRun',
        metadata: { name: 'tool', namespace },
        spec: { toolRef: { name: 'formatter' } },
      })
      expect(toolRun).toMatchObject({ code: 201 })
      expect(finalizersOf(toolRun.object)).toEqual([])
    })

    test('can be set by the accounts of the platform, once', async () => {
      const namespace = await running().namespace()
      const trent = await running().user('trent', {
        namespace,
        rules: [writeOurs, secrets(['get'])],
      })
      const run = agentRun(namespace, { [requestedByAnnotation]: 'alice' })
      const { code, object } = await trent.create(run)
      expect([code, stampOf(object)]).toEqual([201, 'alice'])
      expect(finalizersOf(object)).toEqual(stamps() ? [runCleanupFinalizer] : [])
      const change = { metadata: { annotations: { [requestedByAnnotation]: 'victor' } } }
      expect(await trent.patch(run, change)).toMatchObject({ code: 403 })
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
