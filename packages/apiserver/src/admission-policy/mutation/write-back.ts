import { type KubeObject, sameJson } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import type { AdmissionAttributes } from '../../rest/admission.ts'
import { withScale } from '../../rest/scale.ts'

/** Replaces the content of the request's object, in place, by the result of the policies. */
export function writeBack(attributes: AdmissionAttributes, mutated: KubeObject): void {
  const { object, resource, subresource, context } = attributes
  if (object === undefined) return
  const target = resource.subresources.get(subresource)
  if (target?.type === 'scale') {
    replace(object, withScale(resource, target, object, mutated))
    return
  }
  keepManagers(object, mutated, context.warnings)
  if (resource.isCustom) resource.strategy.prune(mutated)
  replace(object, mutated)
}

/** Keeps the managedFields from before the policies ran if their result is invalid. Policies may remove them. */
function keepManagers(object: KubeObject, mutated: KubeObject, warnings: string[]): void {
  const before = object.metadata?.managedFields
  const after: unknown = mutated.metadata?.managedFields
  if (after === undefined || sameJson(before, after)) return
  if (Array.isArray(after) && after.every(isManager)) return
  if (before === undefined) delete mutated.metadata.managedFields
  else mutated.metadata.managedFields = before
  warnings.push(
    'metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests',
  )
}

function isManager(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false
  const { operation, fieldsType, fieldsV1 } = entry
  return (
    (operation === 'Apply' || operation === 'Update') &&
    fieldsType === 'FieldsV1' &&
    isJsonObject(fieldsV1)
  )
}

function replace(object: KubeObject, next: KubeObject): void {
  const fields = object as unknown as Record<string, unknown>
  // Only what is gone is deleted, since a deletion makes all later access to an object slower.
  for (const name of Object.keys(fields)) if (!Object.hasOwn(next, name)) delete fields[name]
  Object.assign(fields, next)
}
