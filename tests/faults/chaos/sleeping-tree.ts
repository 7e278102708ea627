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
import { JobKind, type KubeClient, kindRef, PodKind } from '@agents/kube'
import { expect, onTestFinished } from 'vitest'
import { namespace, runKind } from '../../support/run-platform/run-platform.ts'

const orchestrations = kindRef<Orchestration>(orchestration)
export const orchestrationRuns = kindRef<OrchestrationRun>(orchestrationRun)
const levels = [1, 2, 3]
export const treeKey = { namespace, name: 'tree' }

/**
 * Starts an OrchestrationRun of three levels whose AgentRuns sleep: each level has as many AgentRuns as given for it,
 * and all but the last a SubOrchestration. Resolves to the processes when all of them run.
 */
export async function startSleepingTree(
  client: KubeClient,
  agentRunsByLevel: readonly [number, number, number],
): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-tree-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const sleeper = (level: number, at: number) => ({
    ...{ name: `s${at}`, kind: 'AgentRun', agentRef: { name: 'shell' } },
    implementation: { inline: { text: 'Sleep.' } },
    // The process itself is recorded, not only its pod.
    with: { script: `echo $$ >${join(folder, `${level}-${at}`)}; exec sleep 600` },
  })
  const nested = (level: number) => ({
    ...{ name: 'sub', kind: 'SubOrchestration', orchestrationRef: { name: `level-${level}` } },
  })
  for (const level of levels.toReversed()) {
    const own = Array.from({ length: agentRunsByLevel[level - 1] ?? 0 }, (_, at) =>
      sleeper(level, at),
    )
    const steps = level === levels.length ? own : [...own, nested(level + 1)]
    const metadata = { name: `level-${level}`, namespace }
    await client.create(orchestrations, { metadata, spec: { steps } } as never)
  }
  await client.create(orchestrationRuns, {
    metadata: treeKey,
    spec: { orchestrationRef: { name: 'level-1' } },
  } as never)
  const count = agentRunsByLevel.reduce((sum, each) => sum + each, 0)
  let processes = await processesIn(folder)
  while (processes.length < count) {
    await delay(50)
    processes = await processesIn(folder)
  }
  expect(processes.filter(isProcessRunning)).toHaveLength(count)
  return processes
}

/** The recorded processes. A file is empty until its shell has written to it. */
async function processesIn(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.filter((text) => text.endsWith('\n')).map(Number)
}

/** The runs of the tree, of both kinds. */
export async function runsOfTree(client: KubeClient) {
  const { items: agentRuns } = await client.list(runKind, { namespace })
  const { items: others } = await client.list(orchestrationRuns, { namespace })
  return [...agentRuns, ...others]
}

export async function expectNoWorkload(client: KubeClient): Promise<void> {
  const { items: jobs } = await client.list(JobKind, { namespace })
  const { items: pods } = await client.list(PodKind, { namespace })
  expect([...jobs, ...pods].map(({ metadata }) => metadata.name)).toEqual([])
}

export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
