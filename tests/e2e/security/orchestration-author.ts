import { orchestrationRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { secrets } from './tenant-rights.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const group = 'orchestration.proompteng.ai'
const writeGraphs = { apiGroups: [group], resources: ['orchestrations'], verbs: ['*'] }
const writeRuns = {
  apiGroups: [group],
  resources: ['orchestrationruns'],
  verbs: ['create', 'update', 'patch'],
}
const createAgentRuns = {
  apiGroups: ['agents.proompteng.ai'],
  resources: ['agentruns'],
  verbs: ['create'],
}
const createToolRuns = {
  apiGroups: ['tools.proompteng.ai'],
  resources: ['toolruns'],
  verbs: ['create'],
}

const agentStep = {
  name: 'work',
  kind: 'AgentRun',
  agentRef: { name: 'any' },
  implementation: { inline: { text: 'Greet' } },
}
const agentSpec = {
  agentRef: { name: 'any' },
  implementation: { inline: { text: 'Greet' } },
  runtime: { type: 'job' },
}
const toolStep = { name: 'check', kind: 'ToolRun', toolRef: { name: 'any' } }
const memoryStep = { name: 'recall', kind: 'MemoryOp', with: { op: 'get', key: 'any' } }
const innerStep = { name: 'more', kind: 'SubOrchestration', orchestrationRef: { name: 'any' } }
const mark = { name: 'mark', kind: 'Checkpoint' }

function readRun(name: string) {
  return {
    apiGroups: [group],
    resources: ['orchestrationruns'],
    resourceNames: [name],
    verbs: ['get'],
  }
}

function graphOf(namespace: string, ...steps: readonly object[]): AnyObject {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'Orchestration',
    metadata: { name: 'graph', namespace },
    spec: { steps },
  } as AnyObject
}

function runOf(namespace: string, spec?: object): AnyObject {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'OrchestrationRun',
    metadata: { name: 'run', namespace },
    ...(spec && { spec: { orchestrationRef: { name: 'graph' }, ...spec } }),
  } as AnyObject
}

/** Tenants that let the controllers create what they may not create themselves. */
export function describeOrchestrationAuthor(running: () => Tenants): void {
  describe('the author of an orchestration', () => {
    test.each([
      { step: agentStep, resource: 'agentruns.agents.proompteng.ai' },
      { step: toolStep, resource: 'toolruns.tools.proompteng.ai' },
      { step: innerStep, resource: 'orchestrationruns.orchestration.proompteng.ai' },
    ])('needs the right to create $resource for a step', async ({ step, resource }) => {
      const namespace = await running().namespace()
      const writer = await running().user('writer', { namespace, rules: [writeGraphs] })
      const refusal = {
        code: 403,
        message: expect.stringContaining(`writer may not create ${resource}`),
      }
      expect(await writer.create(graphOf(namespace, mark, step))).toMatchObject(refusal)
      expect(await writer.create(graphOf(namespace, mark))).toMatchObject({ code: 201 })
      const change = { spec: { steps: [mark, step] } }
      expect(await writer.patch(graphOf(namespace), change)).toMatchObject(refusal)
      const permitted = await running().user('permitted', {
        namespace,
        rules: [writeGraphs, createAgentRuns, createToolRuns, writeRuns],
      })
      expect(await permitted.patch(graphOf(namespace), change)).toMatchObject({ code: 200 })
      const note = { metadata: { labels: { note: 'a' } } }
      expect(await writer.patch(graphOf(namespace), note)).toMatchObject({ code: 200 })
      const prompt = { spec: { steps: [mark, { ...step, with: { x: 'other' } }] } }
      expect(await writer.patch(graphOf(namespace), prompt)).toMatchObject(refusal)
    })

    test('needs the rights to create agentruns and toolruns for an operation on a Memory', async () => {
      for (const [rules, missing] of [
        [[writeGraphs, createAgentRuns], 'toolruns.tools.proompteng.ai'],
        [[writeGraphs, createToolRuns], 'agentruns.agents.proompteng.ai'],
      ] as const) {
        const namespace = await running().namespace()
        const author = await running().user('attacker', { namespace, rules })
        expect(await author.create(graphOf(namespace, mark, memoryStep))).toMatchObject({
          code: 403,
          message: expect.stringContaining(`attacker may not create ${missing}`),
        })
      }
      const namespace = await running().namespace()
      const rules = [writeGraphs, createAgentRuns, createToolRuns]
      const permitted = await running().user('permitted', { namespace, rules })
      expect(await permitted.create(graphOf(namespace, memoryStep))).toMatchObject({ code: 201 })
    })

    test.each([
      { because: 'secrets', fields: { secrets: ['own', 'stolen'] } },
      {
        because: 'a volume',
        fields: {
          workload: {
            volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'stolen' }],
          },
        },
      },
      {
        because: 'a volume of a step of its workflow',
        fields: {
          workflow: { steps: [{ name: 's', workload: { volumes: [{ secretName: 'stolen' }] } }] },
        },
      },
      {
        because: 'a pull secret',
        fields: { runtime: { type: 'job', config: { imagePullSecrets: [{ name: 'stolen' }] } } },
      },
    ])('needs the right to get the Secrets that a step names: $because', async ({ fields }) => {
      const namespace = await running().namespace()
      const rules = [writeGraphs, createAgentRuns, secrets(['get'], ['own'])]
      const permitted = await running().user('permitted', { namespace, rules })
      const own = { ...agentStep, secrets: ['own'] }
      expect(await permitted.create(graphOf(namespace, mark, own))).toMatchObject({ code: 201 })
      const stolen = { spec: { steps: [mark, own, { ...agentStep, name: 'b', ...fields }] } }
      expect(await permitted.patch(graphOf(namespace), stolen)).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not get the Secret stolen'),
      })
      // Others who may not get the Secret cannot redirect what the author gave it to.
      const attacker = await running().user('attacker', {
        namespace,
        rules: [writeGraphs, createAgentRuns],
      })
      const redirected = { spec: { steps: [mark, { ...own, agentRef: { name: 'attackers' } }] } }
      expect(await attacker.patch(graphOf(namespace), redirected)).toMatchObject({ code: 403 })
    })
  })

  describe('the author of a ToolRun', () => {
    test('does not reach what is in a Memory', async () => {
      const namespace = await running().namespace()
      const writeToolRuns = { ...createToolRuns, verbs: ['create', 'patch'] }
      const attacker = await running().user('attacker', { namespace, rules: [writeToolRuns] })
      const trusted = await running().user('trusted', { namespace, rules: [writeToolRuns] })
      const toolRunOf = (name: string, spec?: object, hasOwner = true): AnyObject =>
        ({
          apiVersion: 'tools.proompteng.ai/v1alpha1',
          kind: 'ToolRun',
          // The rights of the owner are not asked for: nothing keeps anybody from naming one.
          metadata: {
            name,
            namespace,
            ...(hasOwner && {
              ownerReferences: [
                {
                  apiVersion: `${group}/v1alpha1`,
                  kind: 'OrchestrationRun',
                  name: 'run',
                  uid: '6b9c1d1e-2f3a-4b5c-8d7e-9f0a1b2c3d4e',
                  controller: true,
                },
              ],
            }),
          },
          ...(spec && { spec }),
        }) as AnyObject
      const spec = { memory: { operation: 'get', key: 'any' } }
      const refused = {
        code: 403,
        message: expect.stringContaining('spec.memory: only the platform sets it'),
      }
      expect(await attacker.create(toolRunOf('forged', spec))).toMatchObject({ code: 403 })
      expect(await attacker.create(toolRunOf('forged', spec, false))).toMatchObject(refused)
      expect(await attacker.create(toolRunOf('empty', undefined, false))).toMatchObject({
        code: 201,
      })
      expect(await attacker.patch(toolRunOf('empty'), { spec })).toMatchObject(refused)
      expect(await trusted.create(toolRunOf('right', spec, false))).toMatchObject({ code: 201 })
      const cancel = { spec: { cancel: true } }
      expect(await attacker.patch(toolRunOf('right'), cancel)).toMatchObject({ code: 200 })
    })
  })

  describe('the author of a run of an orchestration', () => {
    test('needs the right to create the runs of steps', async () => {
      const namespace = await running().namespace()
      const writer = await running().user('writer', { namespace, rules: [writeRuns] })
      expect(await writer.create(runOf(namespace, {}))).toMatchObject({
        code: 403,
        message: expect.stringContaining('writer may not create agentruns.agents.proompteng.ai'),
      })
      expect(await writer.create(runOf(namespace))).toMatchObject({ code: 403 })
      const attacker = await running().user('attacker', {
        namespace,
        rules: [writeRuns, createAgentRuns],
      })
      expect(await attacker.create(runOf(namespace, {}))).toMatchObject({
        code: 403,
        message: expect.stringContaining('attacker may not create toolruns.tools.proompteng.ai'),
      })
      const rules = [writeRuns, createAgentRuns, createToolRuns]
      const permitted = await running().user('permitted', { namespace, rules })
      expect(await permitted.create(runOf(namespace))).toMatchObject({ code: 201 })
      // The definition allows a run without a spec, which another user could add.
      const spec = { spec: { orchestrationRef: { name: 'graph' } } }
      expect(await writer.patch(runOf(namespace), spec)).toMatchObject({ code: 403 })
      expect(await permitted.patch(runOf(namespace), spec)).toMatchObject({ code: 200 })
      const cancel = { spec: { cancel: true } }
      expect(await writer.patch(runOf(namespace), cancel)).toMatchObject({ code: 200 })
    })

    test('needs the right to get the run whose outputs it takes over', async () => {
      const namespace = await running().namespace()
      const rules = [writeRuns, createAgentRuns, createToolRuns, readRun('own')]
      const permitted = await running().user('permitted', { namespace, rules })
      const resuming = (name: string) => runOf(namespace, { resumeFrom: { name } })
      expect(await permitted.create(resuming('secret'))).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not get the OrchestrationRun secret'),
      })
      expect(await permitted.create(resuming('own'))).toMatchObject({ code: 201 })
    })

    test('does not choose the graph of a run by its status', async () => {
      const namespace = await running().namespace()
      const writeStatus = {
        ...writeRuns,
        resources: ['orchestrationruns', 'orchestrationruns/status'],
      }
      const rules = [writeStatus, createAgentRuns, createToolRuns]
      const attacker = await running().user('attacker', { namespace, rules })
      const trusted = await running().user('trusted', { namespace, rules: [writeStatus] })
      const run = runOf(namespace, {})
      expect(await attacker.create(run)).toMatchObject({ code: 201 })
      const graph = (name: string) => ({
        status: { orchestration: { digest: name, spec: { steps: [{ ...mark, name }] } } },
      })
      const refused = {
        code: 403,
        message: expect.stringContaining('only the platform records the graph'),
      }
      expect(await attacker.patch(run, graph('forged'), 'status')).toMatchObject(refused)
      expect(await trusted.patch(run, graph('right'), 'status')).toMatchObject({ code: 200 })
      expect(await attacker.patch(run, graph('forged'), 'status')).toMatchObject(refused)
      const without = { status: { orchestration: null } }
      expect(await attacker.patch(run, without, 'status')).toMatchObject(refused)
      const other = { status: { runId: 'any' } }
      expect(await attacker.patch(run, other, 'status')).toMatchObject({ code: 200 })
    })

    test('does not create the runs of steps of others, whose outcome would be that of the step', async () => {
      const namespace = await running().namespace()
      const all = ['create', 'update', 'patch']
      const rules = [
        { ...writeRuns, verbs: all },
        { ...createAgentRuns, verbs: all },
        { ...createToolRuns, verbs: all },
      ]
      const attacker = await running().user('attacker', { namespace, rules })
      const trusted = await running().user('trusted', { namespace, rules })
      // What belongs to an object that does not exist is deleted soon.
      const spec = { orchestrationRef: { name: 'graph' } }
      const real = { metadata: { name: 'run', namespace }, spec } as never
      const { uid } = (await running().admin.create(kindRef(orchestrationRun), real)).metadata
      const owners = [
        { apiVersion: `${group}/v1alpha1`, kind: 'OrchestrationRun', name: 'run' },
        { apiVersion: 'schedules.proompteng.ai/v1alpha1', kind: 'Schedule', name: 'tick' },
      ].map((owner) => ({ ...owner, uid, controller: true }))
      const kinds = [
        ['agents.proompteng.ai', 'AgentRun', agentSpec],
        ['tools.proompteng.ai', 'ToolRun', { toolRef: { name: 'any' } }],
        [group, 'OrchestrationRun', { orchestrationRef: { name: 'any' } }],
      ] as const
      const refused = {
        code: 403,
        message: expect.stringContaining('only the platform creates what belongs to a run'),
      }
      for (const [ofKind, kind, spec] of kinds) {
        const child = (name: string, ownerReferences?: readonly object[]): AnyObject =>
          ({
            ...{ apiVersion: `${ofKind}/v1alpha1`, kind, spec },
            metadata: { name, namespace, ...(ownerReferences && { ownerReferences }) },
          }) as AnyObject
        for (const owner of owners) {
          expect(await attacker.create(child('forged', [owner]))).toMatchObject(refused)
        }
        const right = child('right', [owners[0] as object])
        expect(await trusted.create(right)).toMatchObject({ code: 201 })
        // What belongs to a run already can still be changed, such as stopped.
        const cancel = { spec: { cancel: true } }
        expect(await attacker.patch(right, cancel)).toMatchObject({ code: 200 })
        const own = child('own', [{ ...owners[0], controller: false }])
        expect(await attacker.create(own)).toMatchObject({ code: 201 })
        const moved = { metadata: { ownerReferences: [owners[0]] } }
        expect(await attacker.patch(own, moved)).toMatchObject(refused)
      }
    })

    test('may be an account of the platform, which creates runs of steps', async () => {
      const namespace = await running().namespace()
      const trusted = await running().user('trusted', { namespace, rules: [writeRuns] })
      expect(await trusted.create(runOf(namespace, {}))).toMatchObject({ code: 201 })
    })
  })

  describe('the author of a schedule of orchestrations', () => {
    test('needs the rights that a run needs', async () => {
      const schedules = {
        apiGroups: ['schedules.proompteng.ai'],
        resources: ['schedules'],
        verbs: ['*'],
      }
      const scheduleOf = (namespace: string, spec: object = {}): AnyObject =>
        ({
          apiVersion: 'schedules.proompteng.ai/v1alpha1',
          kind: 'Schedule',
          metadata: { name: 'tick', namespace },
          spec: {
            cron: '0 0 1 1 *',
            template: {
              kind: 'OrchestrationRun',
              spec: { orchestrationRef: { name: 'graph' }, ...spec },
            },
          },
        }) as AnyObject
      const rights = [schedules, secrets(['get']), createAgentRuns, createToolRuns, writeRuns]
      for (const [count, resource] of [
        [2, 'agentruns'],
        [3, 'toolruns'],
        [4, 'orchestrationruns'],
      ] as const) {
        const namespace = await running().namespace()
        const rules = rights.slice(0, count)
        const attacker = await running().user('attacker', { namespace, rules })
        expect(await attacker.create(scheduleOf(namespace))).toMatchObject({
          code: 403,
          message: expect.stringContaining(`attacker may not create ${resource}`),
        })
      }
      const namespace = await running().namespace()
      const permitted = await running().user('permitted', { namespace, rules: rights })
      expect(
        await permitted.create(scheduleOf(namespace, { resumeFrom: { name: 'x' } })),
      ).toMatchObject({
        code: 403,
        message: expect.stringContaining('resumeFrom'),
      })
      expect(await permitted.create(scheduleOf(namespace))).toMatchObject({ code: 201 })
    })
  })
}
