import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTraceparent } from '@agents/tracing'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../support/processes/service-process.ts'
import {
  createRun,
  namespace,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { startSpanReceiver } from './span-receiver.ts'
import { traceTree } from './trace-tree.ts'

/** Generous, because the machine may be busy. */
const pollOptions = { timeout: 120_000, interval: 50 }

test('a run is one trace, from its creation to the program of its pod', {
  timeout: 300_000,
}, async () => {
  const receiver = await startSpanReceiver()
  onTestFinished(() => receiver.stop())
  const platform = await startRunPlatform('embedded')
  onTestFinished(() => platform.stop())
  await platform.startNode()
  const controllers = startService('services/jangar/src/main/controllers.ts', {
    ...unlimited,
    KUBECONFIG: platform.kubeconfigPath,
    JANGAR_AGENTS_CONTROLLER_NAMESPACES: namespace,
    JANGAR_LEADER_ELECTION_ENABLED: 'false',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  const file = join(platform.stateDir, 'traceparent')
  const run = await createRun(platform.client, 'traced', `printf %s "$TRACEPARENT" > ${file}`)
  await expect
    .poll(async () => (await platform.client.get(runKind, run.metadata)).status?.phase, pollOptions)
    .toBe('Succeeded')
  // The end of a pod may be observed after that of its Job; the remaining spans are sent on shutdown.
  await expect
    .poll(() => receiver.spans.map((span) => span.name), pollOptions)
    .toContain('pod runs')
  controllers.child.kill('SIGTERM')
  expect(await controllers.ended).toBe(0)

  const traceId = run.metadata.uid?.replaceAll('-', '')
  const spans = receiver.spans.filter((span) => span.traceId === traceId)
  const { name, children } = traceTree(spans)
  expect(name).toBe('AgentRun')
  const looks = children.filter(({ name: below }) => below === 'reconcile AgentRun')
  const rest = children.filter((child) => !looks.includes(child))
  expect(looks.length).toBeGreaterThan(0)
  expect(rest.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'accept', children: [] },
    {
      name: 'attempt',
      children: [
        { name: 'pod starts', children: [] },
        { name: 'pod runs', children: [] },
      ],
    },
    { name: 'queue', children: [] },
    { name: 'submit', children: [] },
  ])
  const attempt = spans.find((span) => span.name === 'attempt')
  expect(parseTraceparent(await readFile(file, 'utf8'))).toEqual({
    traceId,
    spanId: attempt?.spanId,
    isSampled: true,
  })
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['agents-controllers']))
  expect(spans.find((span) => span.name === 'AgentRun')?.attributes).toMatchObject({
    'agents.run.name': 'traced',
    'agents.run.phase': 'Succeeded',
  })
  // Spans must not contain the task of the run.
  expect(JSON.stringify(receiver.spans)).not.toContain('TRACEPARENT')
  const lines = controllers.lines().filter((line) => line.trace_id === traceId)
  expect(lines.map(({ message }) => message)).toContain('reconciled')
})
