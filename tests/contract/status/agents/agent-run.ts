import { agentRunController } from '@agents/jangar'
import { agent, agentProvider, agentRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import type { ContractSubject, Dependency } from '../contract-subject.ts'
import { agentsEnvironment } from './agents-environment.ts'
import { completeJobs } from './complete-jobs.ts'
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
