import { formatApiVersion, parseApiVersion } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import { compareVersions } from '../registry/version-priority.ts'

export interface ServedGroup {
  /** Empty for the core group. */
  readonly name: string
  /** The versions, preferred one first. */
  readonly versions: readonly ServedVersion[]
}

export interface ServedVersion {
  readonly group: string
  readonly version: string
  /** `v1`, `apps/v1`. */
  readonly groupVersion: string
  /** Sorted by name. */
  readonly resources: readonly Resource[]
}

/**
 * The groups in the order in which clients resolve short names: built-in groups in `builtinOrder` (`v1`, `apps/v1`, …),
 * then all others sorted by name.
 */
export function servedGroups(
  resources: readonly Resource[],
  builtinOrder: readonly string[],
): ServedGroup[] {
  const groupOrder = [...new Set(builtinOrder.map((text) => parseApiVersion(text).group))]
  return [...Map.groupBy(resources, ({ group }) => group)]
    .sort(([a], [b]) => position(groupOrder, a) - position(groupOrder, b) || compareText(a, b))
    .map(([name, ofGroup]) => ({ name, versions: servedVersions(name, ofGroup, builtinOrder) }))
}

function servedVersions(
  group: string,
  resources: readonly Resource[],
  builtinOrder: readonly string[],
): ServedVersion[] {
  return [...Map.groupBy(resources, ({ version }) => version)]
    .map(([version, ofVersion]) => ({
      group,
      version,
      groupVersion: formatApiVersion({ group, version }),
      resources: ofVersion.toSorted((a, b) => compareText(a.plural, b.plural)),
    }))
    .sort(
      (a, b) =>
        position(builtinOrder, a.groupVersion) - position(builtinOrder, b.groupVersion) ||
        compareVersions(a.version, b.version),
    )
}

function position(order: readonly string[], item: string): number {
  const index = order.indexOf(item)
  return index === -1 ? order.length : index
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
