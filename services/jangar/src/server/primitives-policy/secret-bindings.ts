import type { Clock, ResourceCache } from '@agents/controller'
import { type SecretBinding, secretBindingSubjects } from '@agents/jangar-api'
import { formatKey, type Indexer } from '@agents/kube'
import { type DependencyProblem, findNamed } from '../kubernetes/dependency.ts'
import { withRecentlyDeleted } from '../kubernetes/recently-deleted.ts'
import type { PolicyProblem } from './policy-problem.ts'

/** Something that a run is, runs as, or belongs to, in the namespace of the run. */
export interface BindingSubject {
  readonly kind: (typeof secretBindingSubjects)[number]
  readonly name: string
}

interface BindingRequest {
  readonly namespace: string | undefined
  readonly subjects: readonly BindingSubject[]
}

interface BindingPorts {
  readonly secretBindings: ResourceCache<SecretBinding>
  /** Whether a run that is a subject of no binding may use no Secrets. */
  readonly isRequired: boolean
}

/** Why bindings forbid the use of a Secret. `purpose` completes the phrase "Secret x, …". */
export type BindingRule = (use: {
  readonly name: string
  readonly purpose: string
}) => PolicyProblem<'SecretNotAllowed'> | undefined

/** Index, by subject, of the bindings of a namespace: a run has few subjects, however many bindings exist. */
const bySubject = 'subject'

/** Invalid bindings are indexed too: they allow nothing, and still restrict the subjects that they name. */
const subjectKeysOf: Indexer<SecretBinding> = ({ metadata, spec }) => {
  const ours = subjectsOf(spec).filter(
    ({ namespace = metadata.namespace }) => namespace === metadata.namespace,
  )
  return [...new Set(ours.map(({ kind, name }) => subjectKey(metadata.namespace, kind, name)))]
}

export const secretBindingIndexers: Readonly<Record<string, Indexer<SecretBinding>>> = {
  [bySubject]: subjectKeysOf,
}

/**
 * The bindings that runs are checked against. One that was deleted a moment ago still holds: the failure of a run is
 * final, and so is what a run gets that starts while a binding is being replaced.
 */
export function enforcedBindings(
  bindings: ResourceCache<SecretBinding>,
  clock?: Pick<Clock, 'elapsed'>,
): ResourceCache<SecretBinding> {
  return withRecentlyDeleted(bindings, [bySubject, subjectKeysOf], clock)
}

/** The rule for the Secrets of a run, or undefined if no binding concerns it. */
export function secretBindingRule(
  request: BindingRequest,
  ports: BindingPorts,
): BindingRule | undefined {
  const bindings = bindingsOf(request, ports)
  if (bindings.length === 0 && !ports.isRequired) return undefined
  return ruleOf(bindings, describeSubjects(request))
}

/**
 * The rule for the Secrets of a run that names a binding. The run has to be one of its subjects, so that naming a
 * binding never allows more than naming none.
 */
export function namedBindingRule(
  request: BindingRequest & { readonly binding: string },
  ports: BindingPorts,
): { readonly kind: 'found'; readonly value: BindingRule } | DependencyProblem {
  const { namespace, binding } = request
  const found = findNamed(ports.secretBindings, { namespace, name: binding }, 'the run')
  if (found.kind !== 'found') return found
  const whom = describeSubjects(request)
  const own = bindingsOf(request, ports).filter(({ metadata }) => metadata.name === binding)
  if (own.length > 0) return { kind: 'found', value: ruleOf(own, whom) }
  const value: BindingRule = ({ name, purpose }) =>
    notAllowed(
      `Secret ${name}, ${purpose}, is not allowed: SecretBinding ${binding} has no subject among ${whom}; add one there`,
    )
  return { kind: 'found', value }
}

/** By name, so that messages do not depend on the order of events. */
function bindingsOf(
  { namespace, subjects }: BindingRequest,
  { secretBindings }: BindingPorts,
): SecretBinding[] {
  const found = subjects.flatMap(({ kind, name }) =>
    secretBindings.byIndex(bySubject, subjectKey(namespace, kind, name)),
  )
  return [...new Set(found)].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

function describeSubjects({ subjects }: BindingRequest): string {
  return subjects.map(({ kind, name }) => `${kind} ${name}`).join(', ')
}

function ruleOf(bindings: readonly SecretBinding[], whom: string): BindingRule {
  const valid = bindings.filter((one) => secretBindingProblem(one) === undefined)
  const allowed = new Set(valid.flatMap(({ spec }) => spec?.allowedSecrets ?? []))
  return ({ name, purpose }) => {
    if (allowed.has(name)) return undefined
    const secret = `Secret ${name}, ${purpose},`
    const [first] = bindings
    if (first === undefined) {
      return notAllowed(
        `${secret} is not allowed: no SecretBinding has a subject among ${whom}, and the platform requires one`,
      )
    }
    const invalid = bindings.find((one) => !valid.includes(one))
    const note =
      invalid === undefined
        ? ''
        : ` (SecretBinding ${invalid.metadata.name} is invalid and allows nothing)`
    const names = bindings.map(({ metadata }) => metadata.name).join(', ')
    return notAllowed(
      `${secret} is not in spec.allowedSecrets of SecretBinding ${names}; add it there, or remove it from the run${note}`,
    )
  }
}

function notAllowed(message: string): PolicyProblem<'SecretNotAllowed'> {
  return { reason: 'SecretNotAllowed', message }
}

type BindingProblem = PolicyProblem<
  'NoSubjects' | 'NoSecrets' | 'UnsupportedSubject' | 'ForeignNamespace' | 'InvalidSecret'
>

/** Why the binding allows nothing. */
export function secretBindingProblem({
  metadata: { namespace },
  spec,
}: SecretBinding): BindingProblem | undefined {
  const subjects = subjectsOf(spec)
  const secrets = spec?.allowedSecrets ?? []
  if (subjects.length === 0) {
    return { reason: 'NoSubjects', message: 'spec.subjects is empty; name at least one subject' }
  }
  for (const [at, { kind, name, namespace: theirs = namespace }] of subjects.entries()) {
    const field = `spec.subjects[${at}]`
    if (!secretBindingSubjects.some((known) => known === kind)) {
      const known = secretBindingSubjects.join(', ')
      const message = `${field}.kind: ${kind} is not supported; use one of ${known}`
      return { reason: 'UnsupportedSubject', message }
    }
    const own = `the binding allows Secrets of its own namespace, ${namespace}, and only to runs there`
    if (theirs !== namespace) {
      return { reason: 'ForeignNamespace', message: `${field}.namespace is ${theirs}; ${own}` }
    }
    if (kind === 'Namespace' && name !== namespace) {
      return { reason: 'ForeignNamespace', message: `${field}.name is ${name}; ${own}` }
    }
  }
  if (secrets.length === 0) {
    const message = 'spec.allowedSecrets is empty; name at least one Secret'
    return { reason: 'NoSecrets', message }
  }
  const invalid = secrets.findIndex((name) => name.length > 253 || !secretName.test(name))
  if (invalid === -1) return undefined
  const message = `spec.allowedSecrets[${invalid}]: ${JSON.stringify(secrets[invalid])} cannot be the name of a Secret; patterns are not supported`
  return { reason: 'InvalidSecret', message }
}

/** A DNS subdomain, as the API server demands of the names of Secrets. */
const secretName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

function subjectsOf(spec: SecretBinding['spec'] | undefined) {
  return spec?.subjects ?? []
}

function subjectKey(namespace: string | undefined, kind: string, name: string): string {
  return JSON.stringify([formatKey({ namespace, name }), kind])
}
