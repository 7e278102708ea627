import type { Json, PolicyEvaluation, PolicyExpression } from '@agents/crd'
import { formatApiVersion, type KubeObject } from '@agents/kube'
import type { FieldType } from '../../apply/field-type.ts'
import { copyJson } from '../../json/json-value.ts'
import type { Decoding } from '../../registry/strategy.ts'
import type { AdmittedKind } from '../../rest/admission.ts'
import { internal } from '../../status/api-error.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { applyPatch } from './json-patch.ts'
import { PatchError } from './patch-error.ts'

export type CompiledMutation =
  | PolicyExpression<'applyConfiguration'>
  | PolicyExpression<'jsonPatch'>

/** Describes the kind of the object that is mutated. */
export interface MutatedKind {
  readonly kind: AdmittedKind
  readonly isCustom: boolean
  readonly type: FieldType
  /** Decoding and defaulting of built-in kinds; absent for kinds that are not stored. */
  readonly decoding: Decoding | undefined
}

/**
 * Applies a mutation to an object. Returns the object itself if a configuration changes nothing. Throws a PatchError,
 * or an ApiError if the result is not a valid object of its kind.
 */
export function mutateObject(
  mutation: CompiledMutation,
  evaluation: PolicyEvaluation,
  object: KubeObject,
  kind: MutatedKind,
): KubeObject {
  if (mutation.error !== undefined) throw new PatchError(mutation.error.detail)
  const before = object as unknown as Json
  if (mutation.result === 'jsonPatch') {
    const patch = resultOf(evaluation, mutation as PolicyExpression<'jsonPatch'>)
    return decoded(copyJson(applyPatch(before, patch)) as unknown as KubeObject, kind, true)
  }
  const merged = applyConfiguration(kind.type, before, {
    ...resultOf(evaluation, mutation as PolicyExpression<'applyConfiguration'>),
    apiVersion: formatApiVersion(kind.kind),
    kind: kind.kind.kind,
  })
  if (merged === before) return object
  // What the result of a custom resource shares with the object is pruned and has its defaults.
  const result = kind.isCustom ? merged : copyJson(merged)
  return decoded(result as unknown as KubeObject, kind, false)
}

function resultOf<Kind extends 'applyConfiguration' | 'jsonPatch'>(
  evaluation: PolicyEvaluation,
  mutation: PolicyExpression<Kind>,
) {
  const outcome = evaluation.evaluate(mutation)
  if (outcome.kind !== 'value') throw new PatchError(outcome.error)
  return outcome.value
}

/** Rejects a result whose kind differs or that cannot be decoded, since a patch may change anything. */
function decoded(object: KubeObject, { kind, isCustom, decoding }: MutatedKind, isStrict: boolean) {
  if (object.kind !== kind.kind || object.apiVersion !== formatApiVersion(kind)) {
    throw internal(`${object.apiVersion}, Kind=${object.kind} is not a ${kind.kind}`)
  }
  if (decoding === undefined) return object
  if (!isCustom) {
    let unknown: string[]
    try {
      unknown = decoding.prune(object)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw internal(error.message)
    }
    if (isStrict && unknown.length > 0) {
      const fields = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
      throw internal(`strict decoding error: ${fields.join(', ')}`)
    }
  }
  decoding.setDefaults(object)
  return object
}
