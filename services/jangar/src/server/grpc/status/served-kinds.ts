import type { DeclaredKind, KubeClient, ServedResource } from '@agents/kube'
import { fullNameOf } from '../../definitions/platform-kinds.ts'

/** The resources that the cluster currently serves. Undefined if discovery fails. */
export type Served = readonly ServedResource[] | undefined

export async function readServed(
  { discovery }: Pick<KubeClient, 'discovery'>,
  signal: AbortSignal,
): Promise<Served> {
  // A definition may have been deleted since the last discovery, which the client caches for minutes.
  discovery.invalidate()
  return discovery.resources({ signal, retries: 0 }).catch(() => undefined)
}

/** Names in the form `plural.group`. */
export function missingKinds(
  served: readonly ServedResource[],
  kinds: readonly Pick<DeclaredKind, 'group' | 'version' | 'plural'>[],
): string[] {
  return kinds
    .filter(
      ({ group, version, plural }) =>
        !served.some(
          (each) => each.group === group && each.version === version && each.resource === plural,
        ),
    )
    .map(fullNameOf)
    .toSorted()
}
