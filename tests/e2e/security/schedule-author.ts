import { requestedByAnnotation, scheduledAtAnnotation } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { stampOf } from './run-requester.ts'
import { secrets, writeOurs } from './tenant-rights.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const writeSchedules = {
  apiGroups: ['schedules.proompteng.ai'],
  resources: ['schedules'],
  verbs: ['*'],
}

function scheduleOf(namespace: string, run: object = {}, annotations: object = {}): AnyObject {
  const spec = {
    agentRef: { name: 'any' },
    implementation: { inline: { text: 'Greet' } },
    runtime: { type: 'job' },
    ...run,
  }
  return {
    apiVersion: 'schedules.proompteng.ai/v1alpha1',
    kind: 'Schedule',
    metadata: { name: 'tick', namespace, annotations },
    spec: { cron: '0 0 1 1 *', template: { kind: 'AgentRun', spec } },
  } as AnyObject
}

const tick = {
  apiVersion: 'schedules.proompteng.ai/v1alpha1',
  kind: 'Schedule',
  ...{ name: 'tick', uid: 'any', controller: true },
}
const graph = {
  apiVersion: 'orchestration.proompteng.ai/v1alpha1',
  kind: 'OrchestrationRun',
  ...{ name: 'run', uid: 'any', controller: true },
}
const runs: Readonly<Record<string, { readonly apiVersion: string; readonly spec: object }>> = {
  AgentRun: {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    spec: {
      agentRef: { name: 'any' },
      implementation: { inline: { text: 'Greet' } },
      runtime: { type: 'job' },
    },
  },
  ToolRun: {
    apiVersion: 'tools.proompteng.ai/v1alpha1',
    spec: { toolRef: { name: 'any' } },
  },
  OrchestrationRun: {
    apiVersion: 'orchestration.proompteng.ai/v1alpha1',
    spec: { orchestrationRef: { name: 'any' } },
  },
}

function runOf(kind: string, namespace: string, name: string, metadata: object = {}): AnyObject {
  return { ...runs[kind], kind, metadata: { name, namespace, ...metadata } } as AnyObject
}

function refused(why: string) {
  return { code: 403, message: expect.stringContaining(why) }
}

const isReserved = refused('only the platform creates what belongs to a run or a Schedule')

/** Tenants that start runs of a schedule themselves, as `agentctl schedule trigger` does. */
export function describeScheduleTrigger(running: () => Tenants): void {
  describe('who triggers a schedule', () => {
    const createAll = { apiGroups: ['*'], resources: ['*'], verbs: ['create', 'patch'] }

    function updateSchedules(...resourceNames: readonly string[]) {
      return {
        ...{ apiGroups: ['schedules.proompteng.ai'], resources: ['schedules'], verbs: ['update'] },
        ...(resourceNames.length > 0 && { resourceNames }),
      }
    }

    test.each(Object.keys(runs))('needs the right to update all of them: %s', async (kind) => {
      const namespace = await running().namespace()
      const ofOne = { namespace, rules: [createAll, updateSchedules('tick')] }
      const ofAll = { namespace, rules: [createAll, updateSchedules()] }
      const limited = await running().user('attacker', ofOne)
      const triggering = await running().user('permitted', ofAll)
      const owned = (name: string, owner: object) =>
        runOf(kind, namespace, name, { ownerReferences: [owner] })
      expect(await limited.create(owned('limited', tick))).toMatchObject(isReserved)
      expect(await triggering.create(owned('triggered', tick))).toMatchObject({ code: 201 })
      expect(await triggering.create(owned('forged', graph))).toMatchObject(isReserved)
    })

    test.each(Object.keys(runs))(
      'cannot make runs of others belong to it, or be taken for its own: %s',
      async (kind) => {
        const namespace = await running().namespace()
        const rules = [createAll, updateSchedules()]
        const triggering = await running().user('permitted', { namespace, rules })
        const ownerReferences = [tick]
        const own = runOf(kind, namespace, 'own')
        expect(await triggering.create(own)).toMatchObject({ code: 201 })
        const moved = { metadata: { ownerReferences } }
        expect(await triggering.patch(own, moved)).toMatchObject(isReserved)
        const isOfPlatform = refused('metadata.annotations: only the platform sets')
        for (const time of ['2026-01-01T00:00:00Z', '']) {
          const annotations = { [scheduledAtAnnotation]: time }
          const timed = runOf(kind, namespace, 'timed', { ownerReferences, annotations })
          expect(await triggering.create(timed)).toMatchObject(isOfPlatform)
          expect(await triggering.patch(own, { metadata: { annotations } })).toMatchObject(
            isOfPlatform,
          )
        }
      },
    )

    test('creates nothing else that belongs to it', async () => {
      const namespace = await running().namespace()
      const rules = [createAll, updateSchedules()]
      const triggering = await running().user('permitted', { namespace, rules })
      const artifact = {
        apiVersion: 'artifacts.proompteng.ai/v1alpha1',
        kind: 'Artifact',
        metadata: { name: 'forged', namespace, ownerReferences: [tick] },
        spec: {},
      } as AnyObject
      expect(await triggering.create(artifact)).toMatchObject(isReserved)
    })
  })
}

/** Tenants that let the controllers create a run that they may not create themselves. */
export function describeScheduleAuthor(running: () => Tenants, stamps: () => boolean): void {
  describe('the author of a schedule', () => {
    test('needs the right to create its runs', async () => {
      const namespace = await running().namespace()
      const writer = await running().user('writer', { namespace, rules: [writeSchedules] })
      expect(await writer.create(scheduleOf(namespace))).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not create agentruns'),
      })
      const permitted = await running().user('permitted', {
        namespace,
        rules: [writeSchedules, writeOurs],
      })
      expect(await permitted.create(scheduleOf(namespace))).toMatchObject({ code: 201 })
      const other = { spec: { cron: '* * * * *' } }
      expect(await writer.patch(scheduleOf(namespace), other)).toMatchObject({ code: 403 })
      const note = { metadata: { annotations: { note: 'a' } } }
      expect(await writer.patch(scheduleOf(namespace), note)).toMatchObject({ code: 200 })
    })

    test('needs the right to get the Secrets of its runs, and all of them to copy a run', async () => {
      const namespace = await running().namespace()
      const permitted = await running().user('permitted', {
        namespace,
        rules: [writeSchedules, writeOurs, secrets(['get'], ['own'])],
      })
      expect(await permitted.create(scheduleOf(namespace, { secrets: ['own'] }))).toMatchObject({
        code: 201,
      })
      const stolen = { spec: { template: { spec: { secrets: ['own', 'stolen'] } } } }
      expect(await permitted.patch(scheduleOf(namespace), stolen)).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not get the Secret stolen'),
      })
      const copying = {
        spec: { template: null, targetRef: { kind: 'AgentRun', name: 'of-another-user' } },
      }
      expect(await permitted.patch(scheduleOf(namespace), copying)).toMatchObject({ code: 403 })
    })

    test('is who last changed it, and cannot be forged', async () => {
      const namespace = await running().namespace()
      const rules = [writeSchedules, writeOurs, secrets(['get'])]
      const permitted = await running().user('permitted', { namespace, rules })
      const editor = await running().user('editor', { namespace, rules })
      const claimed = scheduleOf(namespace, {}, { [requestedByAnnotation]: 'developer' })
      const forged = await permitted.create(claimed)
      if (stamps()) expect([forged.code, stampOf(forged.object)]).toEqual([201, 'permitted'])
      else {
        expect(forged.code).toBe(403)
        expect(await permitted.create(scheduleOf(namespace))).toMatchObject({ code: 201 })
      }
      const schedule = scheduleOf(namespace)
      const before = stampOf((await permitted.get(schedule)).object)
      const forge = { metadata: { annotations: { [requestedByAnnotation]: 'developer' } } }
      expect(await editor.patch(schedule, forge)).toMatchObject({ code: 403 })
      expect(stampOf((await permitted.get(schedule)).object)).toBe(before)
      // Neither taken over nor removed: then the real author could approve the runs.
      const claim = { metadata: { annotations: { [requestedByAnnotation]: 'editor' } } }
      expect(await editor.patch(schedule, claim)).toMatchObject({ code: 403 })
      const removal = { metadata: { annotations: { [requestedByAnnotation]: null } } }
      if (stamps()) expect(await editor.patch(schedule, removal)).toMatchObject({ code: 200 })
      expect(stampOf((await permitted.get(schedule)).object)).toBe(before)
      const change = { spec: { cron: '0 0 2 1 *' } }
      expect(await editor.patch(schedule, change)).toMatchObject({ code: 200 })
      expect(stampOf((await permitted.get(schedule)).object)).toBe(stamps() ? 'editor' : undefined)
    })
  })
}
