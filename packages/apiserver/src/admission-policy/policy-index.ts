import type { KubeObject } from '@agents/kube'
import type { Store } from '../store/store.ts'
import { namesResource } from './matching/rules.ts'
import {
  admissionGroup,
  type BindingSpec,
  type Operation,
  type PolicySpec,
} from './policy-objects.ts'

/** A policy with its bindings, sorted by name. */
export interface BoundPolicy<Policy, Binding, Compiled> {
  readonly policy: Policy
  readonly bindings: readonly Binding[]
  /** Compiles on first use. */
  readonly compiled: () => Compiled
}

export interface PolicyIndex<Policy, Binding, Compiled> {
  /** Policies whose rules may match a write, sorted by name. Costs nothing if there are none, which is usual. */
  about(write: PolicedWrite): readonly BoundPolicy<Policy, Binding, Compiled>[]
  stop(): void
}

/** What rules can tell writes apart by, except for versions, scope and names. */
interface PolicedWrite {
  readonly resource: { readonly group: string; readonly plural: string }
  readonly subresource: string
  readonly operation: Operation
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
  let byWrite = new Map<string, readonly Entry[]>()
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
      if (own === undefined) return []
      let program: Compiled | undefined
      const compiled = (): Compiled => {
        program ??= programOf(policy)
        return program
      }
      return [{ policy, bindings: own, compiled }]
    })
    const names = new Set(entries.map(({ policy }) => policy.metadata.name))
    for (const name of compiled.keys()) if (!names.has(name)) compiled.delete(name)
    return entries
  }
  return {
    about(write) {
      if (all === undefined) {
        all = read()
        byWrite = new Map()
      }
      if (all.length === 0) return all
      const { resource, subresource, operation } = write
      const key = `${resource.group}/${resource.plural}/${subresource}/${operation}`
      let found = byWrite.get(key)
      if (found === undefined) {
        found = all.filter(({ policy }) => mayBeAbout(policy.spec, write))
        byWrite.set(key, found)
      }
      return found
    },
    stop: () => {
      for (const watch of watches) watch.close()
    },
  }
}

/**
 * Reports whether a rule of the policy fits the write. With `matchPolicy: Equivalent` a rule may match a resource in
 * another group, so that only the name of the resource counts.
 */
function mayBeAbout({ matchConstraints }: PolicySpec, write: PolicedWrite): boolean {
  const { resourceRules = [], matchPolicy } = matchConstraints ?? {}
  if (resourceRules.length === 0) return true
  const { resource, subresource, operation } = write
  return resourceRules.some(({ apiGroups = [], resources = [], operations = [] }) => {
    const inGroup =
      matchPolicy === 'Equivalent' || apiGroups.some((one) => one === '*' || one === resource.group)
    return (
      inGroup &&
      operations.some((one) => one === '*' || one === operation) &&
      resources.some((one) => namesResource(one, resource.plural, subresource))
    )
  })
}
