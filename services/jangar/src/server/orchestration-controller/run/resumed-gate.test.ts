import type { OrchestrationRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import type { OrchestrationSpec } from '../definition/graph.ts'
import { readGraph } from '../definition/read-graph.ts'
import type { ObservedChild } from '../plan/plan-states.ts'
import { type AdvancePorts, advanceRun } from './advance-run.ts'

const target = '{{ parameters.target }}'
const approve = { name: 'approve', kind: 'ApprovalGate', policyRef: 'people' }
const build = { name: 'build', kind: 'ToolRun', toolRef: { name: 'build' } }
const deploy = {
  ...{ name: 'deploy', kind: 'ToolRun', toolRef: { name: 'deploy' } },
  ...{ dependsOn: ['approve'], with: { target } },
}

/** Runs of one graph, whose children end when the test says so. */
class Runs {
  readonly #runs = new Map<string, OrchestrationRun>()
  readonly #children = new Map<string, Map<string, ObservedChild>>()
  readonly #graph
  #now = Date.parse('2026-01-01T00:00:00Z')

  constructor(steps: readonly object[]) {
    const read = readGraph({ steps } as unknown as OrchestrationSpec)
    if (!read.ok) throw new Error(read.problems[0]?.message)
    this.#graph = read.graph
  }

  add(name: string, spec: object): void {
    const metadata = { name, namespace: 'team', uid: name }
    const run = { metadata, spec: { orchestrationRef: { name: 'graph' }, ...spec } }
    this.#runs.set(name, run as unknown as OrchestrationRun)
    this.#children.set(name, new Map())
  }

  /** Advances the run once. Returns the steps that objects were created for. */
  async advance(name: string): Promise<readonly string[]> {
    const run = this.#runs.get(name)
    const children = this.#children.get(name)
    if (run === undefined || children === undefined) throw new Error(`no run ${name}`)
    this.#now += 1000
    const createdAt = this.#now
    const created: string[] = []
    const ports = {
      runs: { get: (key: string) => this.#runs.get(key.split('/').at(-1) ?? '') },
      versions: { isCurrent: async () => true },
      children: {
        cached: () => children,
        live: async () => children,
        create: async (
          _: unknown,
          child: { name: string; step: { name: string; kind: string } },
        ) => {
          const { name: step, kind } = child.step
          created.push(step)
          children.set(child.name, { step, stepKinds: [kind], createdAt, isCancelling: false })
          return undefined
        },
        refOf: () => undefined,
      },
      waits: { watch: () => undefined, of: () => ({ seen: () => [], arrived: () => undefined }) },
    } as unknown as AdvancePorts
    const { signal } = new AbortController()
    const context = { now: new Date(this.#now), signal } as Parameters<typeof advanceRun>[3]
    const { stepStatuses, plan } = await advanceRun(run, this.#graph, ports, context)
    const conditions = plan.outcome ? [{ type: 'Finished', status: 'True' }] : []
    this.#runs.set(name, { ...run, status: { stepStatuses, conditions } } as never)
    return created
  }

  end(name: string, step: string, outputs: Record<string, unknown> = {}): void {
    const children = this.#children.get(name) ?? new Map<string, ObservedChild>()
    for (const [key, child] of children) {
      if (child.step === step) children.set(key, { ...child, end: { kind: 'succeeded', outputs } })
    }
  }

  /** Lets all children of a run succeed, until the run has finished. */
  async finish(name: string): Promise<void> {
    for (let steps = await this.advance(name); steps.length > 0; steps = await this.advance(name)) {
      for (const step of steps) this.end(name, step)
    }
  }

  reasons(name: string) {
    const statuses = this.#runs.get(name)?.status?.stepStatuses ?? []
    return Object.fromEntries(statuses.map(({ name: of, phase, reason }) => [of, reason ?? phase]))
  }
}

describe('a run that resumes one that was approved', () => {
  test('asks again: the approval was about other parameters', async () => {
    const runs = new Runs([approve, deploy])
    runs.add('ok', { parameters: { target: 'staging' } })
    await runs.finish('ok')
    expect(runs.reasons('ok')).toEqual({ approve: 'Succeeded', deploy: 'Succeeded' })
    runs.add('attack', { parameters: { target: 'production' }, resumeFrom: { name: 'ok' } })
    expect(await runs.advance('attack')).toEqual(['approve'])
    expect(await runs.advance('attack')).toEqual([])
    expect(runs.reasons('attack')).toMatchObject({ approve: 'WaitingForApproval' })
    runs.end('attack', 'approve')
    expect(await runs.advance('attack')).toEqual(['deploy'])
  })

  test('asks again if the parameters are the same, and then takes over what did not change', async () => {
    const notify = { name: 'notify', kind: 'ToolRun', toolRef: { name: 'notify' } }
    const runs = new Runs([
      build,
      { ...approve, dependsOn: ['build'] },
      deploy,
      { ...notify, dependsOn: ['deploy'] },
    ])
    const parameters = { target: 'staging' }
    runs.add('ok', { parameters })
    await runs.finish('ok')
    runs.add('again', { parameters, resumeFrom: { name: 'ok', steps: ['notify'] } })
    expect(await runs.advance('again')).toEqual(['approve'])
    expect(runs.reasons('again')).toMatchObject({ build: 'Reused', deploy: 'Pending' })
    runs.end('again', 'approve')
    expect(await runs.advance('again')).toEqual(['notify'])
    expect(runs.reasons('again')).toMatchObject({ approve: 'Succeeded', deploy: 'Reused' })
  })

  test('runs again what uses the decision', async () => {
    const by = { by: '{{ steps.approve.outputs.decidedBy }}' }
    const runs = new Runs([approve, { ...deploy, with: by }])
    runs.add('ok', {})
    await runs.advance('ok')
    runs.end('ok', 'approve', { decidedBy: 'ann' })
    await runs.advance('ok')
    runs.end('ok', 'deploy')
    await runs.advance('ok')
    runs.add('again', { resumeFrom: { name: 'ok' } })
    await runs.advance('again')
    runs.end('again', 'approve', { decidedBy: 'ben' })
    expect(await runs.advance('again')).toEqual(['deploy'])
  })

  test.each([
    { target: 'staging', created: ['deploy'], reason: 'Reused' },
    { target: 'production', created: ['ask'], reason: 'Running' },
  ])(
    'takes over a graph that may contain a gate for the same parameters only: $target',
    async ({ created, reason, ...parameters }) => {
      const ask = { name: 'ask', kind: 'SubOrchestration', orchestrationRef: { name: 'ask' } }
      const runs = new Runs([ask, { ...deploy, dependsOn: ['ask'] }])
      runs.add('ok', { parameters: { target: 'staging' } })
      await runs.finish('ok')
      runs.add('again', { parameters, resumeFrom: { name: 'ok', steps: ['deploy'] } })
      expect(await runs.advance('again')).toEqual(created)
      expect(runs.reasons('again')).toMatchObject({ ask: reason })
    },
  )
})
