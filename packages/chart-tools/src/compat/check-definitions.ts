import {
  at,
  type ChartSnapshot,
  type Finding,
  listAt,
  type RenderedObject,
  same,
} from './chart-snapshot.ts'
import { narrowings } from './narrowings.ts'

/**
 * C7: custom resources that the older CRD accepts are accepted by the newer one, with the same meaning and without
 * loss. Reports removed versions and fields, new required fields and rules, changed defaults and tighter limits, and
 * CRDs that Argo CD may prune.
 */
export function checkDefinitions(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return [...changesFor(before, after), ...after.definitions.flatMap(unprotected)]
}

/**
 * The effect on resources of the newer CRDs if the older ones are restored, as Argo CD does after a reverted commit.
 */
export function lossesOnRevert(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return changesFor(after, before)
}

/** The effect on resources if CRDs are replaced by others. */
function changesFor(from: ChartSnapshot, to: ChartSnapshot): readonly Finding[] {
  const now = new Map(to.definitions.map((crd) => [crd.metadata.name, crd]))
  return from.definitions.flatMap((crd) => {
    const successor = now.get(crd.metadata.name)
    if (successor === undefined) return [problem(crd, '', 'the definition was removed')]
    return [...identityChanges(crd, successor), ...versionChanges(crd, successor)]
  })
}

function unprotected(crd: RenderedObject): readonly Finding[] {
  const { annotations = {} } = crd.metadata
  const kept = annotations['helm.sh/resource-policy'] === 'keep'
  const unpruned = annotations['argocd.argoproj.io/sync-options']
    ?.split(',')
    .includes('Prune=false')
  return kept && unpruned === true
    ? []
    : [problem(crd, ' annotations', 'a rollback could delete it, and all its resources')]
}

const fixedNames = [
  ['scope'],
  ['group'],
  ['names', 'kind'],
  ['names', 'plural'],
  ['names', 'singular'],
  ['names', 'listKind'],
] as const

function identityChanges(before: RenderedObject, after: RenderedObject): readonly Finding[] {
  const fixed = fixedNames
    .filter((path) => at(before, 'spec', ...path) !== at(after, 'spec', ...path))
    .map((path) =>
      problem(before, ` ${path.join('.')}`, 'the API server does not allow it to change'),
    )
  const called = ['shortNames', 'categories'].flatMap((list) =>
    listAt(before, 'spec', 'names', list)
      .filter((name) => !listAt(after, 'spec', 'names', list).includes(name))
      .map((name) => problem(before, ` names.${list}`, `the name ${name} was removed`)),
  )
  const conversion = (crd: RenderedObject) => at(crd, 'spec', 'conversion', 'strategy') ?? 'None'
  const converted =
    conversion(before) === conversion(after)
      ? []
      : [problem(before, ' conversion', `the conversion strategy changed to ${conversion(after)}`)]
  return [...fixed, ...called, ...converted, ...storageChange(before, after)]
}

/** The server rejects a CRD without the version that objects are stored in, so this change cannot be rolled back. */
function storageChange(before: RenderedObject, after: RenderedObject): readonly Finding[] {
  const stored = (crd: RenderedObject) =>
    at(
      listAt(crd, 'spec', 'versions').find((version) => at(version, 'storage') === true),
      'name',
    )
  return stored(before) === stored(after)
    ? []
    : [problem(before, ' storage', `${stored(before)} became ${stored(after)}`)]
}

function versionChanges(before: RenderedObject, after: RenderedObject): readonly Finding[] {
  return listAt(before, 'spec', 'versions').flatMap((version) => {
    const name = String(at(version, 'name'))
    const successor = listAt(after, 'spec', 'versions').find((other) => at(other, 'name') === name)
    if (successor === undefined) return [problem(before, ` ${name}`, 'the version was removed')]
    const schema = ['schema', 'openAPIV3Schema']
    return [
      ...visibleChanges(version, successor).map(([part, words]) =>
        problem(before, ` ${name} ${part}`, words),
      ),
      ...narrowings(at(version, ...schema), at(successor, ...schema), 'definition').map(
        ({ path, problem: words }) => problem(before, ` ${name} ${path}`, words),
      ),
    ]
  })
}

/** Changes of a version that clients notice beside its schema: serving, subresources, fields and columns. */
function visibleChanges(before: unknown, after: unknown): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = []
  if (at(before, 'served') === true && at(after, 'served') !== true)
    found.push(['served', 'the version is no longer served'])
  const status = ['subresources', 'status']
  if ((at(before, ...status) === undefined) !== (at(after, ...status) === undefined))
    found.push(['subresources.status', 'the path for status updates changed'])
  const scale = ['subresources', 'scale']
  if (at(before, ...scale) !== undefined && !same(at(before, ...scale), at(after, ...scale)))
    found.push(['subresources.scale', 'it was removed or changed'])
  const selectable = (version: unknown) =>
    listAt(version, 'selectableFields').map((field) => String(at(field, 'jsonPath')))
  for (const field of selectable(before)) {
    if (!selectable(after).includes(field))
      found.push([`selectableFields ${field}`, 'field selectors can no longer use it'])
  }
  return [...found, ...columnChanges(before, after)]
}

/** Scripts read the columns of `kubectl get`; a column may move and get another description. */
function columnChanges(before: unknown, after: unknown): readonly (readonly [string, string])[] {
  const columns = 'additionalPrinterColumns'
  return listAt(before, columns).flatMap((column) => {
    const name = String(at(column, 'name'))
    const successor = listAt(after, columns).find((other) => at(other, 'name') === name)
    const fields = ['jsonPath', 'type', 'format']
    if (fields.every((field) => at(column, field) === at(successor, field))) return []
    const words =
      successor === undefined ? 'the column was removed' : 'the column shows something else'
    return [[`${columns} ${name}`, words] as const]
  })
}

function problem(crd: RenderedObject, part: string, words: string): Finding {
  return { rule: 'C7', subject: `${crd.metadata.name}${part}`, problem: words }
}
