import type { ResourceCache } from '@agents/controller'
import { listOf, type MayDo } from './access/authorizer.ts'
import type { Caller } from './access/caller.ts'
import { ApiError } from './api-error.ts'
import type { VisibleKind } from './archived-runs.ts'
import type { RunSource } from './list-runs.ts'
import type { AnyRun } from './run-summary.ts'

/** More namespaces than a caller without rights in the whole cluster may ask about at once. */
const mostNamespaces = 200

interface Asked {
  /** If undefined, all. */
  readonly namespace: string | undefined
  /** If undefined, all. */
  readonly kind: string | undefined
}

/**
 * Which runs the caller may list. Throws if it is none of the namespace. Rights are reviewed one after the other for
 * each kind, so that a request does not take the reviews that others wait for.
 */
export async function visibleKinds(
  mayDo: MayDo,
  wanted: readonly RunSource[],
  caller: Caller,
  { namespace, kind: asked }: Asked,
  archivedIn: () => Promise<readonly string[]>,
): Promise<readonly VisibleKind[]> {
  let others: Promise<readonly string[]> | undefined
  const visible = await Promise.all(
    wanted.map(async ({ cache }): Promise<VisibleKind> => {
      const { kind } = cache
      if (namespace !== undefined) {
        const isAllowed = await mayDo(caller, listOf(kind, namespace))
        return { kind, namespaces: isAllowed ? [namespace] : [] }
      }
      if (await mayDo(caller, listOf(kind))) return { kind, namespaces: 'all' }
      others ??= archivedIn()
      const names = new Set([
        ...cache.list().map(({ metadata }) => metadata.namespace ?? ''),
        ...(await others),
      ])
      if (names.size > mostNamespaces) {
        throw new ApiError('BadRequest', 'there are too many namespaces; name one with ?namespace=')
      }
      const namespaces: string[] = []
      for (const name of names) {
        if (await mayDo(caller, listOf(kind, name))) namespaces.push(name)
      }
      return { kind, namespaces }
    }),
  )
  if (namespace !== undefined && visible.every(({ namespaces }) => namespaces.length === 0)) {
    const what = asked === undefined ? 'runs' : `${asked}s`
    throw new ApiError(
      'Forbidden',
      `${caller.username} may not list ${what} in namespace ${namespace}`,
    )
  }
  return visible
}

/** The runs in the cluster among them. */
export function visibleRuns(
  cache: ResourceCache<AnyRun>,
  visible: readonly VisibleKind[],
): readonly AnyRun[] {
  const { namespaces = [] } = visible.find(({ kind }) => kind === cache.kind) ?? {}
  return namespaces === 'all' ? cache.list() : namespaces.flatMap((name) => cache.list(name))
}
