import type { AnyKind } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { platformKinds } from '../definitions/platform-kinds.ts'
import { runKinds } from './run-summary.ts'

/** The kind that a field of this name refers to, in all kinds unless those are listed. */
export const referenceNames: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  agentRef: 'Agent',
  approvalPolicyRef: 'ApprovalPolicy',
  budgetRef: 'Budget',
  implementationSpecRef: 'ImplementationSpec',
  memoryRef: 'Memory',
  orchestrationRef: 'Orchestration',
  policyRef: 'ApprovalPolicy',
  providerRef: { Agent: 'AgentProvider', GitTarget: 'GitProvider' },
  requestRef: 'ApprovalRequest',
  secretBindingRef: 'SecretBinding',
  signalRef: 'Signal',
  targetRef: { WatchRule: 'GitTarget', ClusterWatchRule: 'GitTarget' },
  toolRef: 'Tool',
  vcsRef: 'VersionControlProvider',
  workspaceName: 'Workspace',
}

/** Fields of objects that name the kind themselves. */
const namingKinds = ['subject', 'subjects', 'targetRef']

interface ReferenceField {
  /** `*` stands for each item of a list and each value of a map. */
  readonly path: readonly string[]
  /** Undefined if the object itself names the kind. */
  readonly to: string | undefined
}

type Schema = AnyKind['schema']

/** The fields of a kind's spec that name other objects of the platform. */
function fieldsOf({ kind, schema }: AnyKind): readonly ReferenceField[] {
  const found: ReferenceField[] = []
  const visit = (node: Schema, path: readonly string[]): void => {
    for (const [name, member] of Object.entries(node.properties ?? {})) {
      const here = [...path, name]
      const named = referenceNames[name]
      const to = typeof named === 'string' ? named : named?.[kind]
      const items = member.items ?? member
      if (to !== undefined) found.push({ path: here, to })
      else if (namingKinds.includes(name) && items.properties?.kind !== undefined) {
        found.push({ path: member.items === undefined ? here : [...here, '*'], to: undefined })
      } else if (isRunSpec(here, member)) {
        found.push(...templateFields().map((each) => ({ ...each, path: [...here, ...each.path] })))
      } else visit(member, here)
    }
    if (node.items !== undefined) visit(node.items, [...path, '*'])
    if (typeof node.additionalProperties === 'object') {
      visit(node.additionalProperties, [...path, '*'])
    }
  }
  visit(schema.properties?.spec ?? {}, ['spec'])
  return found
}

/** The spec of a run that others start, which the schema leaves open. */
function isRunSpec(path: readonly string[], { properties }: Schema): boolean {
  return path.at(-1) === 'spec' && path.at(-2) === 'template' && properties === undefined
}

function templateFields(): readonly ReferenceField[] {
  const runs = platformKinds.filter(({ kind }) => runKinds.some((run) => run.kind === kind))
  const fields = runs.flatMap(fieldsOf).map(({ path, to }) => ({ path: path.slice(1), to }))
  return [...new Map(fields.map((field) => [field.path.join('.'), field])).values()]
}

/** By the name of the kind. */
export const referenceFields: ReadonlyMap<string, readonly ReferenceField[]> = new Map(
  platformKinds.map((kind) => [kind.kind, fieldsOf(kind)]),
)

interface Target {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string | undefined
}

/** The fields by which an object refers to the target, as people write them. Empty if it does not. */
export function referencesTo(kind: string, object: KubeObject, target: Target): readonly string[] {
  const found = new Set<string>()
  const owners = object.metadata.ownerReferences ?? []
  if (owners.some(({ uid }) => uid === target.uid)) found.add('metadata.ownerReferences')
  for (const { path, to } of referenceFields.get(kind) ?? []) {
    if (to !== undefined && to !== target.kind) continue
    for (const value of valuesAt(object, path)) {
      if (isOf(value, to, target, object)) found.add(path.filter((each) => each !== '*').join('.'))
    }
  }
  return [...found]
}

function isOf(
  value: unknown,
  to: string | undefined,
  target: Target,
  { metadata }: KubeObject,
): boolean {
  if (typeof value === 'string') return to !== undefined && value === target.name
  if (typeof value !== 'object' || value === null) return false
  const { kind, name, namespace = metadata.namespace } = value as Readonly<Record<string, unknown>>
  if (to === undefined && kind !== target.kind) return false
  if (namespace !== target.namespace) return false
  // Policies name all objects of a kind in this way.
  return name === target.name || (to === undefined && name === '*')
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [first, ...rest] = path
  if (first === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  if (first === '*') return Object.values(value).flatMap((each) => valuesAt(each, rest))
  if (!Object.hasOwn(value, first)) return []
  return valuesAt((value as Readonly<Record<string, unknown>>)[first], rest)
}
