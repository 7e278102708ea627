import { sameJson } from '@agents/kube'
import { secondsTimestamp } from '../metadata/timestamps.ts'
import { apiApproval } from './api-approval.ts'
import {
  type Definition,
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionStatus,
  setCondition,
} from './definition.ts'

/**
 * Computes the accepted names and the conditions of a definition, given the other definitions of its group. Established
 * becomes true immediately and stays so: a resource is served even if it loses a name later.
 */
export function acceptNames(
  definition: Definition,
  others: Iterable<Definition>,
  now: Date,
): DefinitionStatus {
  const { names } = definition.spec
  const had = definition.status?.acceptedNames
  const taken = takenNames(definition, others)
  const refusals: { reason: string; message: string }[] = []
  const accepted: DefinitionNames = { plural: had?.plural ?? '', kind: had?.kind ?? '' }

  const claim = (
    wanted: string,
    held: string | undefined,
    used: ReadonlySet<string>,
    reason: string,
  ) => {
    if (wanted === held || !used.has(wanted)) return wanted
    refusals.push({ reason, message: `${JSON.stringify(wanted)} is already in use` })
    return held
  }
  accepted.plural = claim(names.plural, had?.plural, taken.resources, 'PluralConflict') ?? ''
  const singular = claim(names.singular ?? '', had?.singular, taken.resources, 'SingularConflict')
  if (singular !== undefined && singular !== '') accepted.singular = singular
  const shortNames = claimShortNames(names, had, taken.resources, refusals)
  if (shortNames !== undefined) accepted.shortNames = shortNames
  accepted.kind = claim(names.kind, had?.kind, taken.kinds, 'KindConflict') ?? ''
  const listKind = claim(names.listKind ?? '', had?.listKind, taken.kinds, 'ListKindConflict')
  if (listKind !== undefined && listKind !== '') accepted.listKind = listKind
  if (names.categories !== undefined) accepted.categories = names.categories

  const time = secondsTimestamp(now)
  const refusal = refusals.at(-1)
  let conditions = setCondition(
    definition.status?.conditions ?? [],
    refusal === undefined
      ? condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found', time)
      : condition('NamesAccepted', 'False', refusal.reason, refusal.message, time),
  )
  const established = conditions.find(({ type }) => type === 'Established')
  if (established?.status !== 'True') {
    conditions = setCondition(
      conditions,
      refusal === undefined
        ? condition(
            'Established',
            'True',
            'InitialNamesAccepted',
            'the initial names have been accepted',
            time,
          )
        : condition('Established', 'False', 'NotAccepted', 'not all names are accepted', time),
    )
  }
  const approval = apiApproval(definition, time)
  if (approval !== undefined) conditions = setCondition(conditions, approval)
  return { ...definition.status, conditions, acceptedNames: accepted }
}

interface TakenNames {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
}

function takenNames(definition: Definition, others: Iterable<Definition>): TakenNames {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const other of others) {
    if (other.spec.group !== definition.spec.group) continue
    if (other.metadata.name === definition.metadata.name) continue
    const names = other.status?.acceptedNames
    if (names === undefined) continue
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) {
      if (name !== undefined && name !== '') resources.add(name)
    }
    for (const kind of [names.kind, names.listKind]) {
      if (kind !== undefined && kind !== '') kinds.add(kind)
    }
  }
  return { resources, kinds }
}

function claimShortNames(
  names: DefinitionNames,
  had: DefinitionNames | undefined,
  used: ReadonlySet<string>,
  refusals: { reason: string; message: string }[],
): string[] | undefined {
  if (sameJson(names.shortNames ?? [], had?.shortNames ?? [])) return had?.shortNames
  const conflicts = (names.shortNames ?? []).filter(
    (name) => had?.shortNames?.includes(name) !== true && used.has(name),
  )
  if (conflicts.length === 0) return names.shortNames
  const messages = conflicts.map((name) => `${JSON.stringify(name)} is already in use`)
  refusals.push({
    reason: 'ShortNamesConflict',
    message: messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`,
  })
  return had?.shortNames
}

function condition(
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
  lastTransitionTime: string,
): DefinitionCondition {
  return { type, status, lastTransitionTime, reason, message }
}
