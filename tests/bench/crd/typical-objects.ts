import type { Json } from '@agents/crd'

const at = '2026-01-02T03:04:05Z'

function condition(type: string, status: string, reason: string, message: string): Json {
  return { type, status, reason, message, lastTransitionTime: at, observedGeneration: 1 }
}

function step(name: string): Json {
  return {
    name,
    phase: 'Succeeded',
    attempt: 1,
    startedAt: at,
    finishedAt: at,
    lastTransitionTime: at,
    message: 'The job completed.',
    jobRef: {
      name: `release-notes-${name}`,
      namespace: 'agents',
      uid: '0b6d1f0e-6c1a-4a53-9b0e-1f6d8a1b2c3d',
    },
  }
}

/** A workflow run of two steps that has finished: as an API server sees it on its last status write. */
export const typicalAgentRun: Json = {
  apiVersion: 'agents.proompteng.ai/v1alpha1',
  kind: 'AgentRun',
  metadata: {
    name: 'release-notes',
    namespace: 'agents',
    generation: 1,
    labels: { team: 'platform' },
  },
  spec: {
    agentRef: { name: 'writer' },
    implementationSpecRef: { name: 'release-notes' },
    runtime: {
      type: 'workflow',
      config: { serviceAccount: 'runner', ttlSecondsAfterFinished: 600 },
    },
    workflow: {
      steps: [
        { name: 'plan', parameters: { stage: 'plan' } },
        {
          name: 'implement',
          parameters: { stage: 'implement' },
          retries: 1,
          retryBackoffSeconds: 5,
          timeoutSeconds: 60,
        },
      ],
    },
    workload: {
      image: 'registry.example.com/runner:1.2.3',
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '256Mi' } },
      volumes: [{ type: 'emptyDir', name: 'work', mountPath: '/work', sizeLimit: '1Gi' }],
    },
    parameters: {
      repository: 'example-org/example',
      base: 'main',
      head: 'release-notes',
      audience: 'users',
    },
    secrets: ['repository-token'],
    vcsRef: { name: 'example' },
    vcsPolicy: { required: true, mode: 'read-write' },
    priority: 10,
    timeoutSeconds: 600,
    idempotencyKey: 'release-notes-1',
    ttlSecondsAfterFinished: 86400,
  },
  status: {
    observedGeneration: 1,
    updatedAt: at,
    phase: 'Succeeded',
    startedAt: at,
    finishedAt: at,
    conditions: [
      condition('Accepted', 'True', 'Submitted', 'The run was handed to its runtime.'),
      condition('Running', 'False', 'Completed', 'Both steps are done.'),
      condition('Succeeded', 'True', 'Completed', 'Both steps are done.'),
    ],
    runtimeRef: { type: 'workflow', name: 'release-notes', namespace: 'agents' },
    workflow: {
      phase: 'Succeeded',
      lastTransitionTime: at,
      steps: [step('plan'), step('implement')],
    },
    vcs: {
      provider: 'github',
      repository: 'example-org/example',
      baseBranch: 'main',
      headBranch: 'release-notes',
      mode: 'read-write',
    },
  },
}

const commit = '0123456789abcdef0123456789abcdef01234567'

/** A target that mirrors, encrypts and is live. */
export const typicalGitTarget: Json = {
  apiVersion: 'gitops.proompteng.ai/v1alpha1',
  kind: 'GitTarget',
  metadata: { name: 'production', namespace: 'gitops', generation: 2 },
  spec: {
    providerRef: { name: 'cluster-state' },
    branch: 'main',
    path: 'clusters/production',
    encryption: { provider: 'sops', secretRef: { name: 'production-age' }, autoCreate: true },
    prune: { mode: 'Always', maxDeleteFraction: 0.5 },
  },
  status: {
    observedGeneration: 2,
    updatedAt: at,
    phase: 'RUNNING',
    conditions: [
      condition('Validated', 'True', 'Valid', 'The provider is ready and the branch is allowed.'),
      condition(
        'EncryptionConfigured',
        'True',
        'Configured',
        'Secrets are encrypted for one recipient.',
      ),
      condition('Bootstrapped', 'True', 'Bootstrapped', 'The folder holds what it needs.'),
      condition('SnapshotSynced', 'True', 'Synced', 'Cluster and folder agree.'),
      condition('EventStreamLive', 'True', 'Live', 'Every stream is live.'),
      condition('Ready', 'True', 'Ready', 'The folder mirrors the cluster.'),
    ],
    workerRef: { name: 'cluster-state-main', uid: '0b6d1f0e-6c1a-4a53-9b0e-1f6d8a1b2c3d' },
    encryption: { mode: 'Sops', secretRef: { name: 'production-age' }, lastValidatedTime: at },
    bootstrap: { targetPath: 'clusters/production', commit, lastAppliedTime: at },
    snapshot: {
      lastCompletedTime: at,
      lastCommit: commit,
      stats: { created: 12, updated: 3, deleted: 0 },
    },
    stream: { status: 'Live', total: 4, live: 4, registeredTime: at, lastEventTime: at },
    push: { lastCommit: commit, lastPushTime: at, pendingChanges: 0 },
  },
}
