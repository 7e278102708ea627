import { sameJson } from '@agents/kube'
import { copyJson } from '../../json/json-value.ts'
import { type Admission, type AdmissionAttributes, noAdmission } from '../../rest/admission.ts'
import { type ApiError, forbidden } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import { type Fields, number, ownPart, part, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

const prefix = '/node.k8s.io/runtimeclasses/'
const differs = "Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/** Sets overhead, node selector and tolerations of new pods by their RuntimeClass, which must exist. */
export function runtimeClassAdmission(store: Store): Admission {
  const classOf = (attributes: AdmissionAttributes): BuiltinObject | undefined => {
    const name = part(attributes.object as BuiltinObject, 'spec').runtimeClassName
    if (typeof name !== 'string') return undefined
    const found = store.get(`${prefix}${name}`)?.value
    if (found !== undefined) return found as BuiltinObject
    throw refused(attributes, `RuntimeClass ${JSON.stringify(name)} not found`)
  }
  return {
    ...noAdmission,
    admit(attributes) {
      if (!isNewPod(attributes)) return
      const runtimeClass = classOf(attributes)
      if (runtimeClass === undefined) return
      const spec = ownPart(attributes.object as BuiltinObject, 'spec')
      setOverhead(attributes, spec, runtimeClass)
      setScheduling(attributes, spec, runtimeClass)
    },
    validate(attributes) {
      if (!isNewPod(attributes)) return
      const overhead = overheadOf(classOf(attributes))
      const own = part(attributes.object as BuiltinObject, 'spec').overhead
      if (overhead === undefined && own !== undefined) {
        const why = 'Pod Overhead set without corresponding RuntimeClass defined Overhead'
        throw refused(attributes, why)
      }
      if (overhead !== undefined && !sameJson(own ?? {}, overhead))
        throw refused(attributes, differs)
    },
  }
}

function isNewPod({ operation, resource, subresource, object }: AdmissionAttributes): boolean {
  const { group, plural } = resource
  const isPod = group === '' && plural === 'pods' && subresource === ''
  return isPod && operation === 'CREATE' && object !== undefined
}

function refused({ resource, name }: AdmissionAttributes, why: string): ApiError {
  return forbidden(resource, name, `pod rejected: ${why}`)
}

/** The overhead that a class defines; `undefined` if it defines none. */
function overheadOf(runtimeClass: BuiltinObject | undefined): Fields | undefined {
  if (runtimeClass?.overhead === undefined) return undefined
  return part(part(runtimeClass, 'overhead'), 'podFixed')
}

function setOverhead(
  attributes: AdmissionAttributes,
  spec: Fields,
  runtimeClass: BuiltinObject,
): void {
  const overhead = overheadOf(runtimeClass)
  if (overhead === undefined) return
  const own = part(spec, 'overhead')
  if (Object.keys(own).length > 0 && !sameJson(own, overhead)) throw refused(attributes, differs)
  spec.overhead = copyJson(overhead)
}

function setScheduling(
  { resource, name }: AdmissionAttributes,
  spec: Fields,
  runtimeClass: BuiltinObject,
): void {
  if (runtimeClass.scheduling === undefined) return
  const scheduling = part(runtimeClass, 'scheduling')
  const selector = { ...part(spec, 'nodeSelector') }
  for (const [key, value] of Object.entries(part(scheduling, 'nodeSelector'))) {
    if (selector[key] !== undefined && selector[key] !== value) {
      const own = `pod.spec.nodeSelector[${key}] = ${String(selector[key])}`
      const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${String(value)}; ${own}`
      throw forbidden(resource, name, why)
    }
    selector[key] = value
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector
  const all = [...parts(spec, 'tolerations'), ...parts(scheduling, 'tolerations').map(copyJson)]
  if (all.length > 0) spec.tolerations = mergedTolerations(all)
}

/** Without the tolerations that others include. Of equal ones the first is kept. */
function mergedTolerations(all: readonly Fields[]): Fields[] {
  const merged: Fields[] = []
  for (const [index, one] of all.entries()) {
    const isIncluded =
      merged.some((other) => includes(other, one)) ||
      all.slice(index + 1).some((other) => !sameJson(other, one) && includes(other, one))
    if (!isIncluded) merged.push(one)
  }
  return merged
}

/** Whether `wide` tolerates everything that `narrow` does. */
function includes(wide: Fields, narrow: Fields): boolean {
  if (sameJson(wide, narrow)) return true
  const matchesAll = text(wide, 'key') === '' && wide.operator === 'Exists'
  if (text(wide, 'key') !== text(narrow, 'key') && !matchesAll) return false
  const effect = text(wide, 'effect')
  if (effect !== '' && effect !== text(narrow, 'effect')) return false
  const seconds = number(wide, 'tolerationSeconds')
  if (effect === 'NoExecute' && seconds !== undefined) {
    const narrowSeconds = number(narrow, 'tolerationSeconds')
    if (narrowSeconds === undefined || narrowSeconds > seconds) return false
  }
  if (wide.operator === 'Exists') return true
  return narrow.operator === 'Equal' && text(narrow, 'value') === text(wide, 'value')
}
