import { type Admission, type AdmissionAttributes, noAdmission } from '../../rest/admission.ts'
import { forbidden } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import { fallBack, number, ownPart, part, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

/** Sets the priority of new pods by their class, and keeps it on updates that omit it. */
export function priorityAdmission(store: Store): Admission {
  return {
    ...noAdmission,
    admit(attributes) {
      const { operation, resource, subresource, object, old } = attributes
      if (resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return
      if (object === undefined) return
      const pod = object as BuiltinObject
      if (operation === 'CREATE') setPriority(store, pod, attributes)
      if (operation === 'UPDATE' && old !== undefined) keepPriority(pod, old as BuiltinObject)
    },
  }
}

function keepPriority(pod: BuiltinObject, old: BuiltinObject): void {
  const spec = ownPart(pod, 'spec')
  const { priority, preemptionPolicy } = part(old, 'spec')
  if (priority !== undefined) spec.priority ??= priority
  if (preemptionPolicy !== undefined) spec.preemptionPolicy ??= preemptionPolicy
}

function setPriority(
  store: Store,
  pod: BuiltinObject,
  { resource, name }: AdmissionAttributes,
): void {
  const prefix = '/scheduling.k8s.io/priorityclasses/'
  const spec = ownPart(pod, 'spec')
  const wanted = text(spec, 'priorityClassName')
  const found = (
    wanted === ''
      ? store
          .list(prefix)
          .entries.map(({ value }) => value as BuiltinObject)
          .find(({ globalDefault }) => globalDefault === true)
      : store.get(`${prefix}${wanted}`)?.value
  ) as BuiltinObject | undefined
  if (wanted !== '' && found === undefined) {
    throw forbidden(resource, name, `no PriorityClass with name ${wanted} was found`)
  }
  const value = found === undefined ? 0 : (number(found, 'value') ?? 0)
  if (spec.priority !== undefined && spec.priority !== value) {
    throw forbidden(
      resource,
      name,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  }
  if (found !== undefined) spec.priorityClassName = found.metadata.name
  spec.priority = value
  const policy = found === undefined ? '' : text(found, 'preemptionPolicy')
  fallBack(spec, { preemptionPolicy: policy || 'PreemptLowerPriority' })
}
