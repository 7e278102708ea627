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
      const walter = await running().user('walter', { namespace, rules: [writeSchedules] })
      expect(await walter.create(scheduleOf(namespace))).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not create agentruns'),
      })
      const peggy = await running().user('peggy', { namespace, rules: [writeSchedules, writeOurs] })
      expect(await peggy.create(scheduleOf(namespace))).toMatchObject({ code: 201 })
      const other = { spec: { cron: '* * * * *' } }
      expect(await walter.patch(scheduleOf(namespace), other)).toMatchObject({ code: 403 })
      const note = { metadata: { annotations: { note: 'a' } } }
      expect(await walter.patch(scheduleOf(namespace), note)).toMatchObject({ code: 200 })
    })

    test('needs the right to get the Secrets of its runs, and all of them to copy a run', async () => {
      const namespace = await running().namespace()
      const peggy = await running().user('peggy', {
        namespace,
        rules: [writeSchedules, writeOurs, secrets(['get'], ['own'])],
      })
      expect(await peggy.create(scheduleOf(namespace, { secrets: ['own'] }))).toMatchObject({
        code: 201,
      })
      const stolen = { spec: { template: { spec: { secrets: ['own', 'stolen'] } } } }
      expect(await peggy.patch(scheduleOf(namespace), stolen)).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not get the Secret stolen'),
      })
      const copying = {
        spec: { template: null, targetRef: { kind: 'AgentRun', name: 'of-another-user' } },
      }
      expect(await peggy.patch(scheduleOf(namespace), copying)).toMatchObject({ code: 403 })
    })

    test('is who last changed it, and cannot be forged', async () => {
      const namespace = await running().namespace()
      const rules = [writeSchedules, writeOurs, secrets(['get'])]
      const peggy = await running().user('peggy', { namespace, rules })
      const victor = await running().user('victor', { namespace, rules })
      const claimed = scheduleOf(namespace, {}, { [requestedByAnnotation]: 'alice' })
      const forged = await peggy.create(claimed)
      if (stamps()) expect([forged.code, stampOf(forged.object)]).toEqual([201, 'peggy'])
      else {
        expect(forged.code).toBe(403)
        expect(await peggy.create(scheduleOf(namespace))).toMatchObject({ code: 201 })
      }
      const schedule = scheduleOf(namespace)
      const before = stampOf((await peggy.get(schedule)).object)
      const forge = { metadata: { annotations: { [requestedByAnnotation]: 'alice' } } }
      expect(await victor.patch(schedule, forge)).toMatchObject({ code: 403 })
      expect(stampOf((await peggy.get(schedule)).object)).toBe(before)
      const change = { spec: { cron: '0 0 2 1 *' } }
      expect(await victor.patch(schedule, change)).toMatchObject({ code: 200 })
      expect(stampOf((await peggy.get(schedule)).object)).toBe(stamps() ? 'victor' : undefined)
    })
  })
}
