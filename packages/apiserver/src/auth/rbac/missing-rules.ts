import type { PolicyRule } from './policy.ts'

/** More parts than the rules of any role have that a person wrote: of four lists, each multiplies them. */
const mostAtoms = 10_000

/**
 * The parts of `wanted` that no rule of `owned` allows. Parts that differ only in their verb are merged. Rules with too
 * many parts are not split: one of `owned` has to allow all of such a rule.
 */
export function missingRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): PolicyRule[] {
  const isSmall = wanted.reduce((sum, rule) => sum + atomCount(rule), 0) <= mostAtoms
  const missing = (isSmall ? wanted.flatMap(atoms) : wanted).filter(
    (atom) => !owned.some((rule) => ruleCovers(rule, atom)),
  )
  const byResource = Map.groupBy(missing, ({ verbs: _verbs, ...rest }) => JSON.stringify(rest))
  return [...byResource.values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined || first.nonResourceURLs !== undefined) return alike
    return [{ ...first, verbs: alike.flatMap(({ verbs }) => verbs) }]
  })
}

/** Formats a rule as in errors: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function ruleText(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const
  const texts = parts.flatMap(([name, values]) =>
    values === undefined || values.length === 0 ? [] : [`${name}:${quotedList(values)}`],
  )
  return `{${texts.join(', ')}}`
}

export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
}

/**
 * Splits a rule into rules with one group, resource, verb and at most one name each, or with one path and verb each.
 */
function atoms(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb): PolicyRule[] => {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) return [atom]
        return resourceNames.map((name) => ({ ...atom, resourceNames: [name] }))
      }),
    ),
  )
  const ofPaths = nonResourceURLs.flatMap((path) =>
    verbs.map((verb): PolicyRule => ({ nonResourceURLs: [path], verbs: [verb] })),
  )
  return [...ofResources, ...ofPaths]
}

function atomCount({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number {
  const ofResources = apiGroups.length * resources.length * Math.max(1, resourceNames.length)
  return verbs.length * (ofResources + nonResourceURLs.length)
}

function ruleCovers(owned: PolicyRule, wanted: PolicyRule): boolean {
  const names = owned.resourceNames ?? []
  return (
    hasAll(owned.verbs, wanted.verbs) &&
    hasAll(owned.apiGroups, wanted.apiGroups) &&
    coversResources(owned.resources, wanted.resources) &&
    (wanted.nonResourceURLs ?? []).every((path) => coversPath(owned.nonResourceURLs, path)) &&
    // A rule with resourceNames does not cover one without.
    (names.length === 0 || isSubset(wanted.resourceNames, names))
  )
}

/** Whether there are wanted names, and all are owned. */
function isSubset(wanted: readonly string[] = [], owned: readonly string[]): boolean {
  return wanted.length > 0 && hasEach(owned, wanted)
}

function hasAll(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.includes('*') || hasEach(owned, wanted)
}

function hasEach(owned: readonly string[], wanted: readonly string[]): boolean {
  const has = lookup(owned, wanted.length)
  return wanted.every(has)
}

function coversResources(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  if (owned.includes('*')) return true
  const has = lookup(owned, wanted.length)
  return wanted.every((resource) => {
    const slash = resource.indexOf('/')
    return has(resource) || (slash !== -1 && has(`*${resource.slice(slash)}`))
  })
}

/** A set costs more than it spares where little is looked for. */
function lookup(list: readonly string[], questions: number): (text: string) => boolean {
  if (questions < 8) return (text) => list.includes(text)
  const set = new Set(list)
  return (text) => set.has(text)
}

function coversPath(owned: readonly string[] = [], path: string): boolean {
  return owned.some(
    (each) => each === path || (each.endsWith('*') && path.startsWith(each.replace(/\*+$/, ''))),
  )
}
