import type { KubeObject } from '@agents/kube'

export const sortOrders = ['age', 'name'] as const
export type SortOrder = (typeof sortOrders)[number]

/** Sorts items whose objects the server listed by namespace and name: by age, the newest first, or not at all. */
export function sortItems<T>(
  listed: readonly T[],
  metadataOf: (item: T) => KubeObject['metadata'] | undefined,
  order: SortOrder = 'age',
): readonly T[] {
  if (order === 'name') return listed
  const createdAt = (item: T): number => Date.parse(metadataOf(item)?.creationTimestamp ?? '') || 0
  return listed.toSorted((one, other) => createdAt(other) - createdAt(one))
}
