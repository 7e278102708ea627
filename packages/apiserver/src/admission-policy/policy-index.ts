import type { KubeObject } from '@agents/kube'
import type { Store } from '../store/store.ts'
import { admissionGroup, type BindingSpec, type PolicySpec } from './policy-objects.ts'

/** A policy with its bindings, sorted by name. */
export interface BoundPolicy<Policy, Binding, Compiled> {
  readonly policy: Policy
  readonly bindings: readonly Binding[]
  /** Compiles on first use. */
  readonly compiled: () => Compiled
}

export interface PolicyIndex<Policy, Binding, Compiled> {
  /** Policies whose rules may match a resource, sorted by name. Costs nothing if there are none, which is usual. */
  about(group: string, plural: string): readonly BoundPolicy<Policy, Binding, Compiled>[]
  stop(): void
}

interface Named extends KubeObject {
  readonly spec: PolicySpec
}

interface Bound extends KubeObject {
  readonly spec: BindingSpec
}

interface IndexOptions<Policy, Compiled> {
  readonly store: Store
  readonly policies: string
  readonly bindings: string
  readonly compile: (policy: Policy) => Compiled
}

/**
 * An index of the stored policies that have bindings. A change takes effect for all requests after its write. A policy
 * is compiled once for each of its revisions.
 */
export function createPolicyIndex<Policy extends Named, Binding extends Bound, Compiled>({
  store,
  policies,
  bindings,
  compile,
}: IndexOptions<Policy, Compiled>): PolicyIndex<Policy, Binding, Compiled> {
  type Entry = BoundPolicy<Policy, Binding, Compiled>
  const compiled = new Map<string, { version: string; program: Compiled }>()
  let all: readonly Entry[] | undefined
  let byResource = new Map<string, readonly Entry[]>()
  const forget = (): void => {
    all = undefined
  }
  const watches = [policies, bindings].map((plural) =>
    store.watch(`/${admissionGroup}/${plural}/`, store.revision, forget),
  )
  const programOf = (policy: Policy): Compiled => {
    const { name, uid = '', generation = 0 } = policy.metadata
    const version = `${uid}/${generation}`
    const known = compiled.get(name)
    if (known?.version === version) return known.program
    const program = compile(policy)
    compiled.set(name, { version, program })
    return program
  }
  const read = (): readonly Entry[] => {
    const list = <Kind extends KubeObject>(plural: string): Kind[] =>
      store.list(`/${admissionGroup}/${plural}/`).entries.map(({ value }) => value as Kind)
    const bound = Map.groupBy(list<Binding>(bindings), ({ spec }) => spec.policyName)
    const entries = list<Policy>(policies).flatMap((policy) => {
      const own = bound.get(policy.metadata.name)
      return own === undefined ? [] : [{ policy, bindings: own, compiled: () => programOf(policy) }]
    })
    const names = new Set(entries.map(({ policy }) => policy.metadata.name))
    for (const name of compiled.keys()) if (!names.has(name)) compiled.delete(name)
    return entries
  }
  return {
    about(group, plural) {
      if (all === undefined) {
        all = read()
        byResource = new Map()
      }
      if (all.length === 0) return all
      const key = `${group}/${plural}`
      let found = byResource.get(key)
      if (found === undefined) {
        found = all.filter(({ policy }) => mayBeAbout(policy.spec, group, plural))
        byResource.set(key, found)
      }
      return found
    },
    stop: () => {
      for (const watch of watches) watch.close()
    },
  }
}

/**
 * The index keys of a policy's rules: group and resource. With `matchPolicy: Equivalent` a rule may match a resource in
 * another group, so that only the name of the resource counts.
 */
function mayBeAbout({ matchConstraints }: PolicySpec, group: string, plural: string): boolean {
  const { resourceRules = [], matchPolicy } = matchConstraints ?? {}
  if (resourceRules.length === 0) return true
  return resourceRules.some(({ apiGroups = [], resources = [] }) => {
    const inGroup =
      matchPolicy === 'Equivalent' || apiGroups.some((one) => one === '*' || one === group)
    return (
      inGroup &&
      resources.some((one) => {
        const [main] = one.split('/', 1)
        return main === '*' || main === plural
      })
    )
  })
}
