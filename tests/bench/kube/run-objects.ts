import type { KubeObject, New } from '@agents/kube'

/** Objects with the size and shape of an AgentRun half-way through, with texts that repeat as they do in a cluster. */
export function runObject(namespace: string, n: number): New<KubeObject> {
  const at = '2026-01-02T03:04:06Z'
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: at,
    observedGeneration: 1,
  })
  return {
    metadata: {
      name: `run-${n}`,
      namespace,
      labels: {
        'app.kubernetes.io/name': 'agents',
        'app.kubernetes.io/managed-by': 'controller-manager',
        'agents.example.dev/agent': `agent-number-${n % 50}`,
      },
      annotations: { 'agents.example.dev/requested-by': `pipeline-${n}` },
      finalizers: ['agents.example.dev/cleanup'],
    },
    spec: {
      agentRef: { name: `agent-number-${n % 50}` },
      prompt: `Fix the failing test number ${n} in the repository and open a pull request`,
      parameters: {
        branch: `fix/${n}`,
        repository: 'https://git.example.dev/team/service.git',
      },
      ttlSecondsAfterFinished: 3600,
      observed: {
        phase: 'Running',
        startedAt: at,
        conditions: [
          condition('Ready', 'True', 'Accepted', 'the run was accepted by the controller'),
          condition('Reconciling', 'False', 'Settled', 'nothing left to do for this generation'),
        ],
      },
    },
  }
}
