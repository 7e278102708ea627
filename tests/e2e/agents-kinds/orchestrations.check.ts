import {
  type Agent,
  type ApprovalPolicy,
  agent,
  approvalPolicy,
  type Orchestration,
  orchestration,
  type Signal,
  signal,
  type Tool,
  tool,
} from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type StartServer, servers } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'

const orchestrations = kindRef<Orchestration>(orchestration)

describe.each(await serversOfTier())('orchestrations on the %s server', (name) => {
  suite(servers[name])
})

function runs(...names: readonly string[]) {
  return {
    spec: {
      steps: names.map((name) => ({
        name,
        kind: 'SubOrchestration',
        orchestrationRef: { name },
      })),
    },
  }
}

const mark = { name: 'mark', kind: 'Checkpoint' }

function suite(start: StartServer): void {
  const client = agentsServer(start)

  test('an orchestration becomes ready when everything that its steps refer to exists', async () => {
    const { create, ready, waitForCondition } = await startAgents(client())
    const implementation = { inline: { text: 'Greet' } }
    await create(orchestrations, 'whole', {
      spec: {
        steps: [
          { name: 'work', kind: 'AgentRun', agentRef: { name: 'coder' }, implementation },
          { name: 'check', kind: 'ToolRun', toolRef: { name: 'lint' }, dependsOn: ['work'] },
          { name: 'wait', kind: 'SignalWait', signalRef: 'pushed' },
          { name: 'gate', kind: 'ApprovalGate', policyRef: 'people' },
          { name: 'inner', kind: 'SubOrchestration', orchestrationRef: { name: 'inner' } },
        ],
      },
    })
    const missing = (text: string) =>
      waitForCondition(orchestrations, 'whole', 'ReferencesResolved', 'DependencyMissing', text)
    await missing('spec.steps[0] (work): Agent coder does not exist')
    await create(kindRef<Agent>(agent), 'coder', { spec: { providerRef: { name: 'any' } } })
    await missing('spec.steps[1] (check): Tool lint does not exist')
    await create(kindRef<Tool>(tool), 'lint', { spec: { image: 'lint:1' } })
    await missing('Signal pushed does not exist')
    await create(kindRef<Signal>(signal), 'pushed', { spec: {} })
    await missing('ApprovalPolicy people does not exist')
    await create(kindRef<ApprovalPolicy>(approvalPolicy), 'people', { spec: {} })
    await missing('Orchestration inner does not exist')
    await create(orchestrations, 'inner', { spec: { steps: [mark] } })
    await ready(orchestrations, 'whole')
  })

  test('a circle is found wherever it closes, and again when it opens', async () => {
    const { namespace, create, ready, waitForCondition } = await startAgents(client())
    await create(orchestrations, 'a', runs('b'))
    await create(orchestrations, 'b', runs('c'))
    await create(orchestrations, 'c', { spec: { steps: [mark] } })
    await ready(orchestrations, 'a')
    const change = (body: object) =>
      client().patch(orchestrations, { namespace, name: 'c' }, { type: 'merge', body })
    const circular = (name: string) =>
      waitForCondition(orchestrations, name, 'ReferencesResolved', 'CircularOrchestration')
    await change(runs('a'))
    expect(await circular('a')).toContain('a → b → c → a')
    expect(await circular('b')).toContain('b → c → a → b')
    await change(runs('c'))
    await waitForCondition(
      orchestrations,
      'a',
      'ReferencesResolved',
      'CircularOrchestration',
      'a → b → c → c',
    )
    await change({ spec: { steps: [mark] } })
    for (const name of ['a', 'b', 'c']) await ready(orchestrations, name)
  })

  test.each([
    { spec: { steps: [] }, reason: 'MissingSteps', text: 'spec.steps: ' },
    { spec: undefined, reason: 'MissingSteps', text: 'spec.steps: ' },
    {
      spec: { steps: [mark], entrypoint: 'main' },
      reason: 'EntrypointMissing',
      text: 'spec.entrypoint: main is not the name of a step',
    },
    {
      spec: {
        steps: [
          { ...mark, dependsOn: ['other'] },
          { ...mark, name: 'other', dependsOn: ['mark'] },
        ],
      },
      reason: 'DependencyCycle',
      text: 'mark → other → mark',
    },
    {
      spec: { steps: [{ ...mark, when: 'parameters.stage' }] },
      reason: 'ExpressionInvalid',
      text: 'spec.steps[0].when: must evaluate to bool but got string',
    },
    {
      spec: { steps: [{ ...mark, with: { x: '{{ steps.later.outputs.y }}' } }] },
      reason: 'TemplateInvalid',
      text: 'spec.steps[0].with.x: steps.later.outputs.y does not exist',
    },
  ])('$reason: $text', async ({ spec, reason, text }) => {
    const { create, waitForCondition } = await startAgents(client())
    await create(orchestrations, 'bad', spec === undefined ? {} : { spec })
    await waitForCondition(orchestrations, 'bad', 'Validated', reason, text)
  })
}
