import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
} from '@agents/jangar-api'
import { JobKind, kindRef, PodKind } from '@agents/kube'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import {
  namespace,
  runKind,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { servers } from './servers.ts'

const orchestrations = kindRef<Orchestration>(orchestration)
const runs = kindRef<OrchestrationRun>(orchestrationRun)

test.each(servers)(
  'a cancelled run of 3 levels with 10 children each stops within 10 seconds and leaves nothing: %s server',
  async (server) => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-tree-'))
    const platform = await startRunPlatform(server)
    onTestFinished(async () => {
      await platform.stop()
      await rm(folder, { recursive: true, force: true })
    })
    const { client } = platform
    await platform.startNode()
    await platform.startControllers({ ...unlimited })
    const sleeper = (level: number, at: number) => ({
      ...{ name: `s${at}`, kind: 'AgentRun', agentRef: { name: 'shell' } },
      implementation: { inline: { text: 'Sleep.' } },
      // The process itself is recorded, not only its pod.
      with: { script: `echo $$ >${join(folder, `${level}-${at}`)}; exec sleep 600` },
    })
    const nested = (level: number) => ({
      ...{ name: 'sub', kind: 'SubOrchestration', orchestrationRef: { name: `level-${level}` } },
    })
    for (const level of [3, 2, 1]) {
      const own = Array.from({ length: level === 3 ? 10 : 9 }, (_, at) => sleeper(level, at))
      const steps = level === 3 ? own : [...own, nested(level + 1)]
      const metadata = { name: `level-${level}`, namespace }
      await client.create(orchestrations, { metadata, spec: { steps } } as never)
    }
    const key = { namespace, name: 'tree' }
    await client.create(runs, {
      metadata: key,
      spec: { orchestrationRef: { name: 'level-1' } },
    } as never)
    while ((await readdir(folder)).length < 28) await delay(100)
    const processes = await Promise.all(
      (await readdir(folder)).map(async (name) =>
        Number(await readFile(join(folder, name), 'utf8')),
      ),
    )
    expect(processes.filter(isRunning)).toHaveLength(28)

    const begun = performance.now()
    await client.patch(runs, key, { type: 'merge', body: { spec: { cancel: true } } })
    while (!isFinished((await client.get(runs, key)).status?.conditions)) await delay(20)
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(processes.filter(isRunning)).toEqual([])
    const { items: agentRuns } = await client.list(runKind, { namespace })
    const { items: all } = await client.list(runs, { namespace })
    const phases = [...agentRuns, ...all].map(({ status }) => status?.phase)
    expect(phases).toEqual(Array.from({ length: 31 }, () => 'Cancelled'))
    const { items: jobs } = await client.list(JobKind, { namespace })
    const { items: pods } = await client.list(PodKind, { namespace })
    expect([...jobs, ...pods].map(({ metadata }) => metadata.name)).toEqual([])
  },
)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
