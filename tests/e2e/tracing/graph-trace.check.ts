import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
  type Tool,
  tool,
} from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { parseTraceparent } from '@agents/tracing'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../support/processes/service-process.ts'
import { namespace, startRunPlatform, unlimited } from '../../support/run-platform/run-platform.ts'
import { type ReceivedSpan, startSpanReceiver } from './span-receiver.ts'
import { traceTree } from './trace-tree.ts'

const runs = kindRef<OrchestrationRun>(orchestrationRun)
/** Generous, because the machine may be busy. */
const pollOptions = { timeout: 120_000, interval: 50 }

test('an orchestration is one trace, with its steps, its tools, its agents and their attempts', {
  timeout: 300_000,
}, async () => {
  const receiver = await startSpanReceiver()
  onTestFinished(() => receiver.stop())
  const platform = await startRunPlatform('embedded')
  onTestFinished(() => platform.stop())
  const { client, stateDir } = platform
  await platform.startNode()
  const controllers = startService('services/jangar/src/main/controllers.ts', {
    ...unlimited,
    KUBECONFIG: platform.kubeconfigPath,
    JANGAR_AGENTS_CONTROLLER_NAMESPACES: namespace,
    JANGAR_LEADER_ELECTION_ENABLED: 'false',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  const file = join(stateDir, 'traceparent')
  const begun = join(stateDir, 'begun')
  const create = (name: string, steps: readonly object[]) =>
    client.create(kindRef<Orchestration>(orchestration), {
      metadata: { name, namespace },
      spec: { steps },
    } as never)
  await client.create(kindRef<Tool>(tool), {
    metadata: { name: 'look', namespace },
    spec: {
      image: 'local',
      command: ['/bin/sh', '-c', `printf %s "$TRACEPARENT" >${file}`],
      parameters: [{ name: 'secret' }],
    },
  } as never)
  const agentStep = (name: string, script: string, fields: object = {}) => ({
    ...{ name, kind: 'AgentRun', agentRef: { name: 'shell' }, with: { script } },
    implementation: { inline: { text: 'not-for-traces' } },
    ...fields,
  })
  await create('inner', [agentStep('deep', 'true')])
  await create('outer', [
    {
      name: 'look',
      kind: 'ToolRun',
      toolRef: { name: 'look' },
      with: { secret: 'not-for-traces' },
    },
    // Fails once.
    agentStep('build', `test -e ${begun} || { touch ${begun}; exit 3; }`, {
      dependsOn: ['look'],
      retries: 1,
    }),
    { name: 'sub', kind: 'SubOrchestration', orchestrationRef: { name: 'inner' } },
    agentStep('unwanted', 'true', { when: 'false' }),
  ])
  const run = await client.create(runs, {
    metadata: { name: 'traced', namespace },
    spec: { orchestrationRef: { name: 'outer' } },
  } as never)
  await expect
    .poll(async () => (await client.get(runs, run.metadata)).status?.phase, pollOptions)
    .toBe('Succeeded')
  const named = (name: string) => receiver.spans.filter((span) => span.name === name)
  // The end of a pod may be observed after that of its Job; the remaining spans are sent on shutdown.
  await expect.poll(() => named('pod runs').length, pollOptions).toBe(4)
  controllers.child.kill('SIGTERM')
  expect(await controllers.ended).toBe(0)

  const traceId = run.metadata.uid?.replaceAll('-', '')
  const spans = receiver.spans.filter((span) => span.traceId === traceId)
  expect(spans.filter(({ name }) => name === 'reconcile OrchestrationRun')).not.toEqual([])
  const told = spans.filter(({ name }) => !name.startsWith('reconcile '))
  const attempt = tree('attempt', tree('pod starts'), tree('pod runs'))
  const gates = [tree('accept'), tree('queue')]
  const work = [...gates, tree('submit'), attempt]
  expect(inOrder(traceTree(told.map(withStep)))).toEqual(
    tree(
      'OrchestrationRun',
      ...gates,
      tree('step look', tree('ToolRun', ...work)),
      tree('step build', tree('AgentRun', ...work), tree('AgentRun', ...work)),
      tree(
        'step sub',
        tree('OrchestrationRun', ...gates, tree('step deep', tree('AgentRun', ...work))),
      ),
    ),
  )

  const [look] = named('step').filter((one) => one.attributes['agents.step.name'] === 'look')
  const [ofTool] = named('ToolRun')
  expect(ofTool?.parentSpanId).toBe(look?.spanId)
  const ofJob = spans.find(
    (span) => span.name === 'attempt' && span.parentSpanId === ofTool?.spanId,
  )
  expect(parseTraceparent(await readFile(file, 'utf8'))).toEqual({
    traceId,
    spanId: ofJob?.spanId,
    isSampled: true,
  })
  expect(look?.attributes).toMatchObject({
    'agents.orchestration.name': 'outer',
    'agents.step.kind': 'ToolRun',
    'agents.step.phase': 'Succeeded',
  })
  const [build] = named('step').filter((one) => one.attributes['agents.step.name'] === 'build')
  expect(build?.attributes).toMatchObject({ 'agents.step.attempts': '2' })
  // A step contains what it started.
  for (const child of spans.filter(({ parentSpanId }) => parentSpanId === build?.spanId)) {
    expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(
      BigInt(build?.startTimeUnixNano ?? 0),
    )
    expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(build?.endTimeUnixNano ?? 0))
  }
  expect(JSON.stringify(receiver.spans)).not.toContain('not-for-traces')
})

function withStep(span: ReceivedSpan): ReceivedSpan {
  const { 'agents.step.name': step } = span.attributes
  return span.name === 'step' ? { ...span, name: `step ${step}` } : span
}

type Tree = ReturnType<typeof traceTree>

/** Steps overlap, so children are compared in the order of their names. */
function tree(name: string, ...children: readonly Tree[]): Tree {
  return { name, children: children.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) }
}

function textOf(one: Tree): string {
  return JSON.stringify(one)
}

function inOrder({ name, children }: Tree): Tree {
  return tree(name, ...children.map(inOrder))
}
