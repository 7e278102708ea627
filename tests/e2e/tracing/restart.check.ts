import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from '../../support/processes/service-process.ts'
import {
  createRun,
  namespace,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { buildGoReceiver, receiverHeaders, startGoReceiver } from './go-receiver.ts'
import { spansOf } from './span-receiver.ts'
import { traceTree } from './trace-tree.ts'

const program = await buildGoReceiver()
/** Generous, because the machine may be busy. */
const pollOptions = { timeout: 120_000, interval: 100 }

test.skipIf(program === undefined)(
  'a run whose controllers are replaced half-way is one trace',
  async () => {
    const receiver = await startGoReceiver(program ?? '')
    onTestFinished(() => receiver.stop())
    const platform = await startRunPlatform('embedded')
    onTestFinished(() => platform.stop())
    await platform.startNode()
    const start = () =>
      startService('services/jangar/src/main/controllers.ts', {
        ...unlimited,
        KUBECONFIG: platform.kubeconfigPath,
        JANGAR_AGENTS_CONTROLLER_NAMESPACES: namespace,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.grpc,
        OTEL_EXPORTER_OTLP_HEADERS: receiverHeaders,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      })
    const end = async (controllers: ReturnType<typeof start>): Promise<void> => {
      controllers.child.kill('SIGTERM')
      expect(await controllers.ended).toBe(0)
      expect(controllers.text()).not.toContain('not-a-real-key')
    }
    const file = join(platform.stateDir, 'go-on')
    const run = await createRun(
      platform.client,
      'handed-over',
      `until test -e ${file}; do sleep 0.1; done`,
    )
    const phase = async () => (await platform.client.get(runKind, run.metadata)).status?.phase
    const first = start()
    await expect.poll(phase, pollOptions).toBe('Running')
    await end(first)
    const second = start()
    await second.waitForOutput('controller')
    await writeFile(file, '')
    await expect.poll(phase, pollOptions).toBe('Succeeded')
    const traceId = run.metadata.uid?.replaceAll('-', '')
    const told = () =>
      receiver.batches
        .flatMap((batch) => spansOf(batch as never))
        .filter((span) => span.traceId === traceId)
    await expect
      .poll(() => told().map(({ name }) => name), pollOptions)
      .toEqual(expect.arrayContaining(['AgentRun', 'attempt', 'pod runs']))
    await end(second)

    const parts = told().filter(({ name }) => name !== 'reconcile AgentRun')
    const names = parts.map(({ name }) => name)
    expect(names.toSorted()).toEqual(
      ['AgentRun', 'accept', 'attempt', 'pod runs', 'pod starts', 'queue', 'submit'].toSorted(),
    )
    expect(traceTree(told()).name).toBe('AgentRun')
  },
)
