import type { AgentRun } from '@agents/jangar-api'
import { JobKind } from '@agents/kube'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import { missingKinds, type Served } from './served-kinds.ts'

interface RuntimeAdapter {
  readonly name: string
  readonly available: boolean
  readonly status: ComponentStatus
  readonly message: string
}

/** All runtimes that a run can specify. Those based on Jobs have the status of the controller that creates the Jobs. */
export function runtimeAdapters(
  served: Served,
  controller: { readonly name: string; readonly status: ComponentStatus },
): RuntimeAdapter[] {
  return Object.entries(usesJobs).map(([name, isOfJobs]) =>
    isOfJobs
      ? { name, ...jobRuntime(served, controller) }
      : {
          name,
          available: false,
          status: ComponentStatus.DISABLED,
          message: 'not supported by this version',
        },
  )
}

const usesJobs: Readonly<Record<AgentRun['spec']['runtime']['type'], boolean>> = {
  workflow: true,
  job: true,
  temporal: false,
  custom: false,
}

function jobRuntime(
  served: Served,
  { name, status }: { readonly name: string; readonly status: ComponentStatus },
): Omit<RuntimeAdapter, 'name'> {
  if (served === undefined) {
    const message = 'API discovery failed'
    return { available: false, status: ComponentStatus.UNKNOWN, message }
  }
  if (missingKinds(served, [JobKind]).length > 0) {
    const message = 'the cluster does not serve Jobs'
    return { available: false, status: ComponentStatus.DEGRADED, message }
  }
  if (status !== ComponentStatus.HEALTHY) {
    return { available: false, status, message: `Jobs are created by ${name}; see its status` }
  }
  return { available: true, status, message: `Jobs are created by ${name}` }
}
