import type { PolicyRule } from './policy.ts'

/** The smallest parts of `wanted` that no rule of `owned` allows; those of one resource that differ by verb alone are one. */
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

/** As refusals name it: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
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

/** Rules of one group, one resource, one verb and at most one name, or of one path and one verb. */
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
    // A rule for some names is less than one for all of them.
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
