import type { FieldError } from '@agents/crd'
import { parseQuantity, quantitySign, sameJson } from '@agents/kube'
import { copyJson, isJsonObject } from '../../json/json-value.ts'
import { dnsSubdomain } from '../../metadata/name-rules.ts'
import { secondsTimestamp } from '../../metadata/timestamps.ts'
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status/field-errors.ts'
import { type Fields, part, text, texts } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import { labelSelectorErrors } from '../validation/label-selector.ts'
import { immutable } from '../validation/value-errors.ts'

export const claimRules: KindRules = {
  deletion: { returnsDeleted: true },
  prepareForCreate(claim) {
    claim.status = { phase: 'Pending' }
  },
  validate: (claim) => claimErrors(part(claim, 'spec')),
  validateUpdate(next, old) {
    if (sameJson(fixedSpec(next, old), fixedSpec(old, old))) return []
    return [
      forbiddenValue(
        'spec',
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ),
    ]
  },
}

/** Fields of a volume's spec that are not volume sources. */
const generalFields = [
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]

export const volumeRules: KindRules = {
  deletion: { returnsDeleted: true },
  prepareForCreate(volume, { now }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: secondsTimestamp(now) }
  },
  validate(volume) {
    const spec = part(volume, 'spec')
    const errors: FieldError[] = []
    if (texts(spec, 'accessModes').length === 0) errors.push(requiredValue('spec.accessModes', ''))
    const { capacity } = spec
    if (Object.keys(part(spec, 'capacity')).length === 0) {
      errors.push(requiredValue('spec.capacity', ''))
    }
    if (part(spec, 'capacity').storage === undefined) {
      errors.push(unsupportedValue('spec.capacity', capacity ?? null, ['storage']))
    }
    if (Object.keys(spec).every((name) => generalFields.includes(name))) {
      errors.push(requiredValue('spec', 'must specify a volume type'))
    }
    return errors
  },
}

export const storageClassRules: KindRules = {
  deletion: { returnsDeleted: true },
  validate: (storageClass) =>
    text(storageClass, 'provisioner') === '' ? [requiredValue('provisioner', '')] : [],
  validateUpdate: (next, old) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'].flatMap((name) =>
      name === 'volumeBindingMode' || sameJson(next[name] ?? null, old[name] ?? null)
        ? immutable(next, old, name, name)
        : [forbiddenValue(name, `updates to ${name} are forbidden.`)],
    ),
}

function claimErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  if (texts(spec, 'accessModes').length === 0) {
    errors.push(requiredValue('spec.accessModes', 'at least 1 access mode is required'))
  }
  if (isJsonObject(spec.selector)) {
    errors.push(...labelSelectorErrors(spec.selector, 'spec.selector'))
  }
  const { storage } = part(part(spec, 'resources'), 'requests')
  if (storage === undefined) errors.push(requiredValue('spec.resources[storage]', ''))
  else if (quantitySign(parseQuantity(String(storage))) <= 0) {
    errors.push(invalidValue('spec.resources[storage]', storage, 'must be greater than zero'))
  }
  const name = text(spec, 'storageClassName')
  if (name !== '') {
    errors.push(
      ...dnsSubdomain(name).map((why) => invalidValue('spec.storageClassName', name, why)),
    )
  }
  return errors
}

/** The spec without mutable fields: the volume until it is set, the size and class of a bound claim. */
function fixedSpec(claim: BuiltinObject, old: BuiltinObject): unknown {
  const spec = copyJson(part(claim, 'spec'))
  if (text(part(old, 'spec'), 'volumeName') === '') delete spec.volumeName
  if (part(old, 'spec').storageClassName === undefined) delete spec.storageClassName
  if (part(old, 'status').phase === 'Bound') {
    delete spec.volumeAttributesClassName
    const { requests } = part(spec, 'resources')
    if (isJsonObject(requests)) delete requests.storage
  }
  return spec
}
