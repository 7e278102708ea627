import type { AgentRun } from '@agents/jangar-api'
import { type Job, JobKind, type KubeClient, withController } from '@agents/kube'

/**
 * Creates the Job of a run as a controller would that crashes right afterwards. The script distinguishes it from a Job
 * that is created later.
 */
export function createLeftJob(client: KubeClient, run: AgentRun, script: string): Promise<Job> {
  const { name } = run.metadata
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-job`,
      namespace: 'agents',
      labels: { 'agents.proompteng.ai/agent-run': name, 'agents.proompteng.ai/attempt': '1' },
    },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [
            { name: 'agent-runner', image: 'local', command: ['/bin/sh', '-c', script] },
          ],
        },
      },
    },
  }
  return client.create(JobKind, withController(job, run))
}
