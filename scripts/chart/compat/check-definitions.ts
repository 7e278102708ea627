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
 * C7: custom resources that the older definition accepts are accepted by the newer one, mean the same and lose nothing. Removed versions and
 * fields, new required fields and rules, other defaults and tighter limits are none of it; nor is a definition that Argo CD may prune.
 */
export function checkDefinitions(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return [...changesFor(before, after), ...after.definitions.flatMap(unprotected)]
}

/** What resources made under the newer definitions meet when the older ones come back, as Argo CD brings them with a reverted commit. */
export function lossesOnRevert(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return changesFor(after, before)
}

/** What happens to resources of definitions when others take their place. */
function changesFor(from: ChartSnapshot, to: ChartSnapshot): readonly Finding[] {
  const now = new Map(to.definitions.map((crd) => [crd.metadata.name, crd]))
  return from.definitions.flatMap((crd) => {
    const successor = now.get(crd.metadata.name)
    if (successor === undefined) return [problem(crd, '', 'the definition is gone')]
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
    : [problem(crd, ' annotations', 'a rollback could delete it, and every resource with it')]
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
    .map((path) => problem(before, ` ${path.join('.')}`, 'it cannot be changed'))
  const called = ['shortNames', 'categories'].flatMap((list) =>
    listAt(before, 'spec', 'names', list)
      .filter((name) => !listAt(after, 'spec', 'names', list).includes(name))
      .map((name) => problem(before, ` names.${list}`, `nobody can say ${name} any more`)),
  )
  const conversion = (crd: RenderedObject) => at(crd, 'spec', 'conversion', 'strategy') ?? 'None'
  const converted =
    conversion(before) === conversion(after)
      ? []
      : [problem(before, ' conversion', `versions are converted by ${conversion(after)} now`)]
  return [...fixed, ...called, ...converted, ...storageChange(before, after)]
}

/** A definition without the version that objects are stored in is refused: there is no way back over such a change. */
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
    if (successor === undefined) return [problem(before, ` ${name}`, 'the version is gone')]
    const schema = ['schema', 'openAPIV3Schema']
    return [
      ...facesOf(version, successor).map(([part, words]) =>
        problem(before, ` ${name} ${part}`, words),
      ),
      ...narrowings(at(version, ...schema), at(successor, ...schema), 'definition').map(
        ({ path, problem: words }) => problem(before, ` ${name} ${path}`, words),
      ),
    ]
  })
}

/** What of a version clients reach beside the objects themselves. */
function facesOf(before: unknown, after: unknown): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = []
  if (at(before, 'served') === true && at(after, 'served') !== true)
    found.push(['served', 'nobody can read or write it any more'])
  const status = ['subresources', 'status']
  if ((at(before, ...status) === undefined) !== (at(after, ...status) === undefined))
    found.push(['subresources.status', 'who writes the status writes it elsewhere'])
  const scale = ['subresources', 'scale']
  if (at(before, ...scale) !== undefined && !same(at(before, ...scale), at(after, ...scale)))
    found.push(['subresources.scale', 'it is gone or another one'])
  const selectable = (version: unknown) =>
    listAt(version, 'selectableFields').map((field) => String(at(field, 'jsonPath')))
  for (const field of selectable(before)) {
    if (!selectable(after).includes(field))
      found.push([`selectableFields ${field}`, 'nobody can select by it any more'])
  }
  return found
}

function problem(crd: RenderedObject, part: string, words: string): Finding {
  return { rule: 'C7', subject: `${crd.metadata.name}${part}`, problem: words }
}
