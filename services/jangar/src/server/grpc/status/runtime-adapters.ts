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

/** Each runtime that a run can ask for. Those that are Jobs are as well as the controller that makes the Jobs. */
export function runtimeAdapters(
  served: Served,
  controller: { readonly name: string; readonly status: ComponentStatus },
): RuntimeAdapter[] {
  return Object.entries(isMadeOfJobs).map(([name, isOfJobs]) =>
    isOfJobs
      ? { name, ...jobRuntime(served, controller) }
      : {
          name,
          available: false,
          status: ComponentStatus.DISABLED,
          message: 'not part of this version',
        },
  )
}

const isMadeOfJobs: Readonly<Record<AgentRun['spec']['runtime']['type'], boolean>> = {
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
    const message = 'the API server does not say what it serves'
    return { available: false, status: ComponentStatus.UNKNOWN, message }
  }
  if (missingKinds(served, [JobKind]).length > 0) {
    const message = 'the cluster serves no Jobs'
    return { available: false, status: ComponentStatus.DEGRADED, message }
  }
  if (status !== ComponentStatus.HEALTHY) {
    return { available: false, status, message: `${name} makes its Jobs; see there` }
  }
  return { available: true, status, message: `${name} makes its Jobs` }
}
