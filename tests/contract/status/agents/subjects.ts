import { openStore } from '@agents/artifact-store'
import { type Reconciler, systemClock } from '@agents/controller'
import {
  agentController,
  agentProviderController,
  approvalDecisionController,
  approvalPolicyController,
  approvalRequestController,
  artifactController,
  BudgetBook,
  budgetCaches,
  budgetController,
  implementationSourceController,
  implementationSpecController,
  memoryController,
  orchestrationCaches,
  orchestrationController,
  orchestrationRunController,
  type SupportingCaches,
  scheduleController,
  secretBindingController,
  signalController,
  signalDeliveryController,
  supportingCaches,
  versionControlProviderController,
  workspaceController,
} from '@agents/jangar'
import {
  agent,
  agentProvider,
  agentRun,
  approvalDecision,
  approvalPolicy,
  approvalRequest,
  artifact,
  budget,
  implementationSource,
  implementationSpec,
  memory,
  orchestration,
  orchestrationRun,
  schedule,
  secretBinding,
  signal,
  signalDelivery,
  tool,
  versionControlProvider,
  workspace,
} from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import type { ContractSubject } from '../contract-subject.ts'
import { agentsEnvironment } from './agents-environment.ts'
import { bindClaims } from './bind-claims.ts'
import { objectDependency, secretContent } from './object-dependency.ts'

const secret = objectDependency(SecretKind, 'credentials', secretContent)
const secretRef = { name: 'credentials', key: 'token' }
const digest = '0'.repeat(64)
const guard = { isEnforced: async () => true }

/** A store that has all content: what the suite asks about is the status. */
const fullStore = {
  ...openStore({ driver: 'file', folder: '/nonexistent' }),
  stat: async () => ({ sizeBytes: 5 }),
}

/** As if the controller of requests had counted every decision about an existing request. */
function countingEverything(caches: SupportingCaches): SupportingCaches {
  const { approvalRequests, approvalDecisions } = caches
  return {
    ...caches,
    approvalRequests: {
      ...approvalRequests,
      get: (key) => {
        const request = approvalRequests.get(key)
        const decisions = approvalDecisions.list().map(({ metadata, spec }) => ({
          ...{ name: metadata.name, uid: metadata.uid ?? '', decidedAt: '2026-01-01T00:00:00Z' },
          ...{ username: spec.approver.username, decision: spec.decision },
        }))
        return request && { ...request, status: { ...request.status, decisions } }
      },
    },
  }
}

/** The kinds of the agents group that exist until they are deleted. */
export const agentsSubjects: readonly ContractSubject[] = [
  {
    kind: agentProvider,
    spec: { binary: '/bin/sh' },
    changedSpec: { binary: '/bin/bash' },
    environment: agentsEnvironment(agentProviderController),
  },
  {
    kind: agent,
    spec: { providerRef: { name: 'provider' } },
    changedSpec: { config: { style: 'concise' } },
    environment: agentsEnvironment(agentController),
    dependency: objectDependency(kindRef(agentProvider), 'provider', {
      spec: { binary: '/bin/sh' },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Valid',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    }),
  },
  {
    kind: implementationSpec,
    spec: { text: 'Greet the reader.', vcsRef: { name: 'service' } },
    changedSpec: { text: 'Greet all readers.' },
    environment: agentsEnvironment(implementationSpecController),
    dependency: objectDependency(kindRef(versionControlProvider), 'service', {
      spec: { provider: 'generic' },
    }),
  },
  {
    kind: implementationSource,
    spec: { provider: 'github', auth: { secretRef }, webhook: { enabled: true } },
    changedSpec: { scope: { labels: ['agent'] } },
    // As in a release that receives webhooks: without a receiver, no source becomes ready.
    environment: agentsEnvironment((ports) =>
      implementationSourceController({ ...ports, receivesWebhooks: true }),
    ),
    dependency: secret,
  },
  {
    kind: versionControlProvider,
    spec: { provider: 'github', auth: { token: { secretRef } } },
    changedSpec: { sshUser: 'git' },
    environment: agentsEnvironment(versionControlProviderController),
    dependency: secret,
  },
  {
    kind: memory,
    spec: { type: 'custom', connection: { secretRef } },
    changedSpec: { default: true },
    environment: agentsEnvironment(memoryController),
    dependency: secret,
  },
  {
    kind: schedule,
    // No run is due during the test.
    spec: { cron: '0 0 29 2 *', targetRef: { kind: 'AgentRun', name: 'model' } },
    changedSpec: { timezone: 'Europe/Vienna' },
    environment: ({ client, informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const { reconciler, sources } = scheduleController({ client, caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
    dependency: objectDependency(kindRef(agentRun), 'model', {
      spec: {
        agentRef: { name: 'any' },
        implementation: { inline: { text: 'Greet' } },
        runtime: { type: 'job' },
      },
    }),
  },
  {
    kind: budget,
    spec: { limits: { tokens: '1000', cpu: '4' } },
    changedSpec: { limits: { tokens: '2000', cpu: '4' } },
    environment: ({ client, informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const nothing = () => {
        throw new TypeError('the test has no runs')
      }
      const book = new BudgetBook({
        caches: budgetCaches(informers, [namespace]),
        clock: systemClock,
        agentRunWork: nothing,
        toolRunWork: nothing,
      })
      const events = { record: () => undefined }
      const { reconciler, sources } = budgetController({ client, caches, book, events })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
  {
    kind: secretBinding,
    spec: { subjects: [{ kind: 'Agent', name: 'coder' }], allowedSecrets: ['token'] },
    changedSpec: { allowedSecrets: ['token', 'key'] },
    environment: ({ informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const { reconciler, sources } = secretBindingController({ caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
  {
    kind: workspace,
    spec: { size: '1Gi' },
    changedSpec: { ttlSeconds: 3600 },
    environment: (ports) => {
      bindClaims(ports)
      const { client, informers, namespace } = ports
      const caches = supportingCaches(informers, [namespace])
      const { reconciler, sources } = workspaceController({ client, caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
  {
    kind: signal,
    spec: { schema: { type: 'object', required: ['environment'] } },
    changedSpec: { description: 'The release is approved.' },
    environment: ({ informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const { reconciler, sources } = signalController({ caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
  {
    kind: signalDelivery,
    spec: { signalRef: { name: 'released' }, payload: { environment: 'staging' } },
    changedSpec: { payload: { environment: 'production' } },
    isImmutable: true,
    environment: ({ client, informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      // The suite advances the clock by years.
      const ports = { client, caches, retentionMs: 0 }
      const { reconciler, sources } = signalDeliveryController(ports)
      return { reconciler: reconciler as Reconciler, sources }
    },
    dependency: objectDependency(kindRef(signal), 'released', { spec: {} }),
  },
  {
    kind: approvalPolicy,
    spec: { approvers: [{ kind: 'User', name: 'developer' }] },
    changedSpec: { allowSelfApproval: true },
    environment: ({ informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const { reconciler, sources } = approvalPolicyController({ caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
  },
  {
    kind: approvalRequest,
    spec: {
      subject: { kind: 'AgentRun', name: 'run', uid: 'a' },
      policyRef: { name: 'auto' },
      digest,
      summary: 'Greet',
    },
    changedSpec: { cancel: true },
    environment: ({ informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const ports = { caches, guard, allowUnverified: false }
      const { reconciler, sources } = approvalRequestController(ports)
      return { reconciler: reconciler as Reconciler, sources }
    },
    dependency: objectDependency(kindRef(approvalPolicy), 'auto', {
      spec: { mode: 'auto', defaultDecision: 'approve' },
    }),
  },
  {
    kind: approvalDecision,
    spec: {
      requestRef: { name: 'request' },
      digest,
      decision: 'Approve',
      approver: { username: 'developer' },
    },
    changedSpec: { comment: 'changed' },
    isImmutable: true,
    environment: ({ informers, namespace }) => {
      const caches = countingEverything(supportingCaches(informers, [namespace]))
      const ports = { caches, guard, allowUnverified: false }
      const { reconciler, sources } = approvalDecisionController(ports)
      return { reconciler: reconciler as Reconciler, sources }
    },
    dependency: objectDependency(kindRef(approvalRequest), 'request', {
      spec: {
        subject: { kind: 'AgentRun', name: 'run', uid: 'a' },
        policyRef: { name: 'people' },
        digest,
        summary: 'Greet',
      },
    }),
  },
  {
    kind: artifact,
    spec: {
      source: {
        type: 'File',
        name: 'report',
        pod: 'run-1',
        checksum: `sha256:${'0'.repeat(64)}`,
        sizeBytes: 5,
        contentType: 'text/plain',
      },
    },
    changedSpec: { lifecycle: { ttlDays: 0 } },
    environment: ({ informers, namespace }) => {
      const caches = supportingCaches(informers, [namespace])
      const { reconciler } = artifactController({ caches, store: fullStore })
      return { reconciler: reconciler as Reconciler, sources: [] }
    },
  },
  {
    kind: orchestration,
    spec: { steps: [{ name: 'check', kind: 'ToolRun', toolRef: { name: 'lint' } }] },
    changedSpec: { entrypoint: 'check' },
    environment: ({ informers, namespace }) => {
      const caches = orchestrationCaches(informers, [namespace])
      const { reconciler, sources } = orchestrationController({ caches })
      return { reconciler: reconciler as Reconciler, sources }
    },
    dependency: objectDependency(kindRef(tool), 'lint', { spec: { image: 'lint:1' } }),
  },
  {
    kind: orchestrationRun,
    // The suite advances the clock by years.
    spec: { orchestrationRef: { name: 'graph' }, ttlSecondsAfterFinished: 0 },
    changedSpec: { ttlSecondsAfterFinished: 3600 },
    environment: ({ client, informers, namespace }) => {
      const caches = orchestrationCaches(informers, [namespace])
      const ports = { client, caches, runRetentionMs: 0 }
      const { reconciler, sources } = orchestrationRunController(ports)
      return { reconciler: reconciler as Reconciler, sources }
    },
    dependency: objectDependency(kindRef(orchestration), 'graph', {
      spec: { steps: [{ name: 'mark', kind: 'Checkpoint', with: { version: '1' } }] },
      status: {
        observedGeneration: 1,
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Resolved',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    }),
  },
]
