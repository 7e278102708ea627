import {
  at,
  type ChartSnapshot,
  type Finding,
  listAt,
  type RenderedObject,
} from './chart-snapshot.ts'

type SchemaFacts = ReadonlyMap<string, string>

/**
 * C7: custom resources that the older definition accepts are accepted by the newer one, and lose nothing. Removed versions and fields,
 * new required fields, fewer enum values and tighter limits are none of it; so is a definition that Argo CD may prune.
 */
export function checkDefinitions(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  const now = new Map(after.definitions.map((crd) => [crd.metadata.name, crd]))
  const compared = before.definitions.flatMap((crd) => {
    const successor = now.get(crd.metadata.name)
    if (successor === undefined) return [problem(crd, '', 'the definition is gone')]
    return [...identityChanges(crd, successor), ...versionChanges(crd, successor)]
  })
  return [...compared, ...after.definitions.flatMap(unprotected)]
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

function identityChanges(before: RenderedObject, after: RenderedObject): readonly Finding[] {
  return [['scope'], ['names', 'kind'], ['names', 'plural'], ['group']]
    .filter((path) => at(before, 'spec', ...path) !== at(after, 'spec', ...path))
    .map((path) => problem(before, ` ${path.join('.')}`, 'it cannot be changed'))
}

function versionChanges(before: RenderedObject, after: RenderedObject): readonly Finding[] {
  return listAt(before, 'spec', 'versions').flatMap((version) => {
    const name = String(at(version, 'name'))
    const successor = listAt(after, 'spec', 'versions').find((other) => at(other, 'name') === name)
    if (successor === undefined) return [problem(before, ` ${name}`, 'the version is gone')]
    const then = factsOf(version)
    const now = factsOf(successor)
    return [...removedOrTightened(then, now), ...newlyDemanded(then, now)].map(([path, words]) =>
      problem(before, ` ${name} ${path}`, words),
    )
  })
}

function* removedOrTightened(then: SchemaFacts, now: SchemaFacts): Generator<[string, string]> {
  for (const [path, fact] of then) {
    const successor = now.get(path)
    if (path.endsWith('#required')) continue
    if (path.endsWith('#enum')) {
      const left = new Set(successor?.split('\n') ?? fact.split('\n'))
      const lost = fact.split('\n').filter((value) => !left.has(value))
      if (lost.length > 0) yield [path, `values are gone: ${lost.join(', ')}`]
    } else if (successor === undefined) {
      if (!path.includes('#'))
        yield [path, 'the field is gone, and what it holds is lost at the next write']
    } else if (successor !== fact && isTighter(path, fact, successor)) {
      yield [path, `${fact} became ${successor}`]
    }
  }
}

function* newlyDemanded(then: SchemaFacts, now: SchemaFacts): Generator<[string, string]> {
  for (const path of now.keys()) {
    const [field = '', keyword] = path.split('#')
    if (keyword === undefined || then.has(path)) continue
    const parent = keyword === 'required' ? field.replace(/\.[^.]+$/, '') : field
    // What stands below a new field binds nobody.
    if (!then.has(parent)) continue
    if (keyword === 'required') yield [path, 'the field is required now']
    else yield [path, `a limit is new: ${now.get(path)}`]
  }
}

const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties']

function isTighter(path: string, before: string, after: string): boolean {
  const keyword = path.split('#')[1]
  if (keyword === undefined || keyword === 'pattern' || keyword === 'enum') return true
  return upper.includes(keyword) ? Number(after) < Number(before) : Number(after) > Number(before)
}

const limits = [...upper, 'minimum', 'minLength', 'minItems', 'minProperties', 'pattern']

/** Fields and what is demanded of them: `.spec.x` → type, `.spec.x#required`, `.spec.x#enum`, `.spec.x#maxLength` … */
function factsOf(version: unknown): SchemaFacts {
  const facts = new Map<string, string>()
  collect(at(version, 'schema', 'openAPIV3Schema'), '', facts)
  return facts
}

function collect(schema: unknown, path: string, facts: Map<string, string>): void {
  if (typeof schema !== 'object' || schema === null) return
  facts.set(path, String(at(schema, 'type') ?? 'any'))
  const values = listAt(schema, 'enum')
  if (values.length > 0) facts.set(`${path}#enum`, values.map(String).join('\n'))
  for (const limit of limits) {
    const value = at(schema, limit)
    if (value !== undefined) facts.set(`${path}#${limit}`, String(value))
  }
  for (const name of listAt(schema, 'required')) facts.set(`${path}.${name}#required`, 'yes')
  for (const [name, property] of Object.entries(at(schema, 'properties') ?? {})) {
    collect(property, `${path}.${name}`, facts)
  }
  collect(at(schema, 'items'), `${path}[]`, facts)
  collect(at(schema, 'additionalProperties'), `${path}.*`, facts)
}

function problem(crd: RenderedObject, part: string, words: string): Finding {
  return { rule: 'C7', subject: `${crd.metadata.name}${part}`, problem: words }
}
