import {
  ConfigMapKind,
  CronJobKind,
  isControlledBy,
  isForbidden,
  isNotFound,
  JobKind,
  type KindRef,
  type KubeClient,
  type KubeObject,
  kindRef,
  PersistentVolumeClaimKind,
  PodKind,
  SecretKind,
} from '@agents/kube'
import { platformKinds } from '../cluster/known-kinds.ts'

export interface Child {
  /** How far below the object: 1 for its own, 2 for theirs. */
  readonly depth: number
  readonly object: KubeObject
}

const ownable: readonly KindRef[] = [
  JobKind,
  CronJobKind,
  PodKind,
  ConfigMapKind,
  SecretKind,
  PersistentVolumeClaimKind,
  ...platformKinds
    .filter(({ kind }) => kind.endsWith('Run') || kind === 'SignalDelivery')
    .map((kind) => kindRef(kind)),
]

/** The objects that an object controls, directly or through others, each after its owner. */
export async function childrenOf(
  client: KubeClient,
  owner: KubeObject,
  signal: AbortSignal,
): Promise<Child[]> {
  const { namespace } = owner.metadata
  if (namespace === undefined) return []
  const lists = await Promise.all(ownable.map((kind) => listed(client, kind, namespace, signal)))
  const all = lists.flat()
  const below = (above: KubeObject, depth: number): Child[] =>
    depth > 4
      ? []
      : all
          .filter((object) => isControlledBy(object, above))
          .flatMap((object) => [{ depth, object }, ...below(object, depth + 1)])
  return below(owner, 1)
}

async function listed(client: KubeClient, kind: KindRef, namespace: string, signal: AbortSignal) {
  try {
    const found: KubeObject[] = []
    for await (const object of client.each(kind, { namespace, signal })) found.push(object)
    return found
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return []
    throw error
  }
}
