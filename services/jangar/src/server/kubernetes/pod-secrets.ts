import type { Pod } from '@agents/kube'

type PodSpec = Pod['spec']

/** The names of all Secrets whose values the pod's programs can read. */
export function secretsOf({ containers, initContainers = [], volumes = [] }: PodSpec): string[] {
  const names = [
    ...[...initContainers, ...containers].flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ...envFrom.map(({ secretRef }) => secretRef?.name),
    ]),
    ...volumes.flatMap(secretsOfVolume),
  ]
  return [...new Set(names.filter((name) => name !== undefined))].toSorted()
}

function secretsOfVolume(volume: NonNullable<PodSpec['volumes']>[number]): (string | undefined)[] {
  const { secret, projected } = volume as {
    readonly secret?: { readonly secretName?: string }
    readonly projected?: { readonly sources?: readonly { secret?: { name?: string } }[] }
  }
  return [secret?.secretName, ...(projected?.sources ?? []).map((source) => source.secret?.name)]
}

/** A pod's spec reduced to the names of its Secrets, for a cache that holds thousands of pods. */
export function secretsOnly(spec: PodSpec): Pick<PodSpec, 'volumes'> {
  const volumes = secretsOf(spec).map((secretName) => ({
    name: secretName,
    secret: { secretName },
  }))
  return volumes.length === 0 ? {} : { volumes }
}
