import { isQuantity } from '@agents/kube'
import { refused } from './problem.ts'
import type { Refused, Workload } from './resolution.ts'

type Volume = NonNullable<Workload['volumes']>[number]

/** What the API server would refuse only when the Job is created, and with words about Jobs. */
export function workloadProblem({ resources, volumes = [] }: Workload): Refused | undefined {
  for (const which of ['requests', 'limits'] as const) {
    for (const [name, amount] of Object.entries(resources?.[which] ?? {})) {
      if (isQuantity(amount)) continue
      return invalid(
        `resources.${which}.${name} is ${amount}, which is no quantity such as 500m or 2Gi`,
      )
    }
  }
  for (const [index, volume] of volumes.entries()) {
    const problem = volumeProblem(volume)
    if (problem !== undefined) return invalid(`volumes[${index}] ${problem}`)
    const twin = volumes.slice(0, index).find(({ name }) => name === volume.name)
    if (twin !== undefined) return invalid(`two volumes are called ${volume.name}`)
  }
  return undefined
}

function volumeProblem({ type, name, mountPath, ...volume }: Volume): string | undefined {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    return `is called ${name}, which is no name of lower-case letters, digits and -`
  }
  if (
    !mountPath.startsWith('/') ||
    mountPath.includes(':') ||
    mountPath.split('/').includes('..')
  ) {
    return `(${name}) is mounted at ${mountPath}, which is no absolute path`
  }
  if (type === 'pvc' && !volume.claimName) return `(${name}) lacks claimName`
  if (type === 'secret' && !volume.secretName) return `(${name}) lacks secretName`
  if (volume.sizeLimit !== undefined && !isQuantity(volume.sizeLimit)) {
    return `(${name}) has the sizeLimit ${volume.sizeLimit}, which is no quantity such as 1Gi`
  }
  return undefined
}

function invalid(problem: string): Refused {
  return refused('InvalidRuntimeConfig', `workload.${problem}`)
}
