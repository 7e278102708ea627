import { isQuantity } from '@agents/kube'
import { refused } from './problem.ts'
import type { Refused, Workload } from './resolution.ts'

type Volume = NonNullable<Workload['volumes']>[number]

/** Finds problems that the API server would report only when the Job is created, in terms of the Job. */
export function workloadProblem({ resources, volumes = [] }: Workload): Refused | undefined {
  for (const which of ['requests', 'limits'] as const) {
    for (const [name, amount] of Object.entries(resources?.[which] ?? {})) {
      if (isQuantity(amount)) continue
      return invalid(
        `resources.${which}.${name} is ${amount}, which is not a valid quantity; use for example 500m or 2Gi`,
      )
    }
  }
  for (const [index, volume] of volumes.entries()) {
    const problem = volumeProblem(volume)
    if (problem !== undefined) return invalid(`volumes[${index}] ${problem}`)
    const twin = volumes.slice(0, index).find(({ name }) => name === volume.name)
    if (twin !== undefined) return invalid(`two volumes have the name ${volume.name}`)
  }
  return undefined
}

function volumeProblem({ type, name, mountPath, ...volume }: Volume): string | undefined {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    return `has the invalid name ${name}; use lower-case letters, digits and -`
  }
  if (
    !mountPath.startsWith('/') ||
    mountPath.includes(':') ||
    mountPath.split('/').includes('..')
  ) {
    return `(${name}) has the mountPath ${mountPath}, which is not an absolute path`
  }
  if (type === 'pvc' && !volume.claimName) return `(${name}) lacks claimName`
  if (type === 'workspace' && !volume.workspaceName) return `(${name}) lacks workspaceName`
  if (type === 'secret' && !volume.secretName) return `(${name}) lacks secretName`
  if (volume.sizeLimit !== undefined && !isQuantity(volume.sizeLimit)) {
    return `(${name}) has the sizeLimit ${volume.sizeLimit}, which is not a valid quantity; use for example 1Gi`
  }
  return undefined
}

function invalid(problem: string): Refused {
  return refused('InvalidRuntimeConfig', `workload.${problem}`)
}
