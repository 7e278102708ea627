import type { Artifact } from '@agents/jangar-api'
import { isControlledBy, type KubeClient, kindRef, type ObjectKey } from '@agents/kube'
import { platformKind } from '../cluster/known-kinds.ts'
import type { ShownKind } from '../run/run-kind.ts'
import { runSelector } from '../run/run-pods.ts'

const ArtifactKind = kindRef<Artifact>(platformKind('Artifact'))

/** The artifacts that a run controls, the oldest first. Others may make some that name it as a further owner. */
export async function artifactsOf(
  client: KubeClient,
  key: ObjectKey,
  of: ShownKind,
  signal: AbortSignal,
): Promise<Artifact[]> {
  const run = await client.get(of.kind, key, { signal })
  const labelSelector = runSelector(key.name, of)
  const { namespace } = key
  const { items } = await client.list(ArtifactKind, { namespace, labelSelector, signal })
  return items
    .filter((each) => isControlledBy(each, run))
    .toSorted((a, b) => createdAt(a) - createdAt(b))
}

function createdAt({ metadata }: Artifact): number {
  return Date.parse(metadata.creationTimestamp ?? '')
}
