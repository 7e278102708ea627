import { agentRunController } from '@agents/jangar'
import { agent, agentProvider, agentRun } from '@agents/jangar-api'
import { isConflict, isNotFound, type Job, JobKind, type KubeClient, kindRef } from '@agents/kube'
import type { ContractSubject, Dependency, WorldPorts } from '../contract-subject.ts'
import { agentsWorld } from './agents-world.ts'
import { objectDependency } from './object-dependency.ts'

const status = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
}
const provider = objectDependency(kindRef(agentProvider), 'shell', {
  spec: { binary: '/bin/sh' },
  status,
})
const shell = objectDependency(kindRef(agent), 'shell', {
  spec: { providerRef: { name: 'shell' } },
  status,
})

/** Runs wait for their Agent. Whoever makes it makes its provider too. */
const dependency: Dependency = {
  create: async (ports) => {
    await provider.create(ports)
    await shell.create(ports)
  },
  delete: (ports) => shell.delete(ports),
}

const worldOfRuns = agentsWorld(agentRunController)

export const agentRunSubject: ContractSubject = {
  kind: agentRun,
  spec: {
    agentRef: { name: 'shell' },
    implementation: { inline: { text: 'Say hello.' } },
    runtime: { type: 'job' },
    workload: { image: 'local' },
    // The suite lets centuries pass.
    ttlSecondsAfterFinished: 0,
  },
  changedSpec: { ttlSecondsAfterFinished: 3600 },
  dependency,
  world: (ports) => {
    completeJobs(ports)
    return worldOfRuns(ports)
  },
}

/** In place of a cluster: every Job succeeds at once. */
function completeJobs({ client, informers, namespace }: WorldPorts): void {
  informers.acquire<Job>(JobKind, { namespace }).addHandler({
    onAdd: (job) => void complete(client, job),
    onUpdate: () => undefined,
    onDelete: () => undefined,
  })
}

async function complete(client: KubeClient, { metadata, status }: Job): Promise<void> {
  if (status?.completionTime !== undefined) return
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const done = (type: string) => ({
    type,
    status: 'True',
    reason: 'CompletionsReached',
    message: '',
    lastTransitionTime: at,
  })
  const body = {
    // Two worlds may do it at once.
    metadata: { resourceVersion: metadata.resourceVersion },
    status: {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      conditions: [done('SuccessCriteriaMet'), done('Complete')],
    },
  }
  await client
    .patch(JobKind, metadata, { type: 'merge', body }, { subresource: 'status' })
    .catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) throw error
    })
}
