import { requestedByAnnotation } from '@agents/jangar-api'
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
