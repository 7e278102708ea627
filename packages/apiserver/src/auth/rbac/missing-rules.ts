import type { PolicyRule } from './policy.ts'

/** The parts of `wanted` that no rule of `owned` allows. Parts that differ only in their verb are merged. */
export function missingRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): PolicyRule[] {
  const missing = wanted
    .flatMap(atoms)
    .filter((atom) => !owned.some((rule) => ruleCovers(rule, atom)))
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

function ruleCovers(owned: PolicyRule, atom: PolicyRule): boolean {
  const names = owned.resourceNames ?? []
  return (
    hasAll(owned.verbs, atom.verbs) &&
    hasAll(owned.apiGroups, atom.apiGroups) &&
    (atom.resources ?? []).every((resource) => coversResource(owned.resources, resource)) &&
    (atom.nonResourceURLs ?? []).every((path) => coversPath(owned.nonResourceURLs, path)) &&
    // A rule with resourceNames does not cover one without.
    (names.length === 0 || atom.resourceNames?.every((name) => names.includes(name)) === true)
  )
}

function hasAll(owned: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return owned.includes('*') || wanted.every((each) => owned.includes(each))
}

function coversResource(owned: readonly string[] = [], resource: string): boolean {
  if (owned.includes('*') || owned.includes(resource)) return true
  const slash = resource.indexOf('/')
  return slash !== -1 && owned.includes(`*${resource.slice(slash)}`)
}

function coversPath(owned: readonly string[] = [], path: string): boolean {
  return owned.some(
    (each) => each === path || (each.endsWith('*') && path.startsWith(each.replace(/\*+$/, ''))),
  )
}
