import { agentRunController } from '@agents/jangar'
import { agent, agentProvider, agentRun } from '@agents/jangar-api'
import { isConflict, isNotFound, type Job, JobKind, type KubeClient, kindRef } from '@agents/kube'
import type { ContractSubject, Dependency, EnvironmentPorts } from '../contract-subject.ts'
import { agentsEnvironment } from './agents-environment.ts'
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

/** Runs wait for their Agent. Creating it creates its provider too. */
const dependency: Dependency = {
  create: async (ports) => {
    await provider.create(ports)
    await shell.create(ports)
  },
  delete: (ports) => shell.delete(ports),
}

const environmentOfRuns = agentsEnvironment(agentRunController)

export const agentRunSubject: ContractSubject = {
  kind: agentRun,
  spec: {
    agentRef: { name: 'shell' },
    implementation: { inline: { text: 'Say hello.' } },
    runtime: { type: 'job' },
    workload: { image: 'local' },
    // The suite advances the clock by years.
    ttlSecondsAfterFinished: 0,
  },
  changedSpec: { ttlSecondsAfterFinished: 3600 },
  dependency,
  environment: (ports) => {
    completeJobs(ports)
    return environmentOfRuns(ports)
  },
}

/** Takes the place of a Job controller: every Job succeeds immediately. */
function completeJobs({ client, informers, namespace }: EnvironmentPorts): void {
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
    // Two controllers may patch at the same time.
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
