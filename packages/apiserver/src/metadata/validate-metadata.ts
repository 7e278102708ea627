import type { FieldError } from '@agents/crd'
import {
  type KubeObject,
  type ManagedFieldsEntry,
  type OwnerReference,
  parseApiVersion,
  sameJson,
} from '@agents/kube'
import { forbiddenValue, invalidValue, requiredValue, tooLong } from '../status/field-errors.ts'
import { dnsLabel, labelKey, labelValue } from './name-rules.ts'

type NameRule = (name: string, prefix: boolean) => string[]

/** Validates the metadata of a new or changed object. Errors are in the order of upstream. */
export function validateMetadata(
  object: KubeObject,
  namespaced: boolean,
  nameRule: NameRule,
): FieldError[] {
  const { metadata } = object
  const errors: FieldError[] = []
  const generateName = metadata.generateName ?? ''
  if (generateName !== '') {
    for (const message of nameRule(generateName, true)) {
      errors.push(invalidValue('metadata.generateName', generateName, message))
    }
  }
  const name = metadata.name ?? ''
  if (name === '') errors.push(requiredValue('metadata.name', 'name or generateName is required'))
  else {
    for (const message of nameRule(name, false)) {
      errors.push(invalidValue('metadata.name', name, message))
    }
  }
  errors.push(...validateNamespace(metadata.namespace ?? '', namespaced))
  const generation = metadata.generation ?? 0
  if (generation < 0) {
    errors.push(
      invalidValue('metadata.generation', generation, 'must be greater than or equal to 0'),
    )
  }
  errors.push(...validateLabels(metadata.labels, 'metadata.labels'))
  errors.push(...validateAnnotations(metadata.annotations))
  errors.push(...validateOwnerReferences(metadata.ownerReferences))
  errors.push(...validateFinalizers(metadata.finalizers))
  errors.push(...validateManagedFields(metadata.managedFields))
  return errors
}

/** Validates changes of metadata. `isValid`: `validateMetadata` has found no errors. */
export function validateMetadataUpdate(
  next: KubeObject,
  old: KubeObject,
  isValid = false,
): FieldError[] {
  const errors: FieldError[] = []
  const { metadata } = next
  if (old.metadata.deletionTimestamp !== undefined) {
    errors.push(...validateNoNewFinalizers(metadata.finalizers, old.metadata.finalizers))
  }
  if ((metadata.resourceVersion ?? '') === '') {
    errors.push(invalidValue('metadata.resourceVersion', '', 'must be specified for an update'))
  }
  if ((metadata.generation ?? 0) < (old.metadata.generation ?? 0)) {
    errors.push(
      invalidValue('metadata.generation', metadata.generation ?? 0, 'must not be decremented'),
    )
  }
  for (const field of immutableFields) {
    if (!sameJson(metadata[field] ?? null, old.metadata[field] ?? null)) {
      errors.push(invalidValue(`metadata.${field}`, metadata[field] ?? null, 'field is immutable'))
    }
  }
  // Upstream validates these again, which can be skipped if they are valid.
  if (isValid) return errors
  errors.push(...validateLabels(metadata.labels, 'metadata.labels'))
  errors.push(...validateAnnotations(metadata.annotations))
  errors.push(...validateOwnerReferences(metadata.ownerReferences))
  errors.push(...validateManagedFields(metadata.managedFields))
  return errors
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const message of labelKey(key)) errors.push(invalidValue(field, key, message))
    for (const message of labelValue(value)) errors.push(invalidValue(field, value, message))
  }
  return errors
}

/** Validates a field manager, of a request or in managedFields. `field` is its path. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  // A fast path: almost all names are ASCII, and all managers are validated with each write.
  if (/^[ -~]{0,128}$/.test(manager)) return []
  const errors: FieldError[] = []
  if (Buffer.byteLength(manager) > 128) errors.push(tooLong(field, 128))
  let position = 0
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      errors.push(
        invalidValue(field, manager, `invalid character U+${code} (at position ${position})`),
      )
    }
    position += Buffer.byteLength(character)
  }
  return errors
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

const annotationLimit = 256 * 1024

/** Printable characters as in Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the space. */
function isPrintable(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)
}

function validateNamespace(namespace: string, namespaced: boolean): FieldError[] {
  if (!namespaced) {
    return namespace === ''
      ? []
      : [forbiddenValue('metadata.namespace', 'not allowed on this type')]
  }
  if (namespace === '') return [requiredValue('metadata.namespace', '')]
  return dnsLabel(namespace).map((message) =>
    invalidValue('metadata.namespace', namespace, message),
  )
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field = 'metadata.annotations',
): FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const message of labelKey(key.toLowerCase())) {
      errors.push(invalidValue(field, key, message))
    }
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (size > annotationLimit) errors.push(tooLong(field, annotationLimit))
  return errors
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined): FieldError[] {
  const field = 'metadata.ownerReferences'
  const errors: FieldError[] = []
  let controller = ''
  for (const reference of references ?? []) {
    const { apiVersion = '', kind = '', name = '', uid = '' } = reference
    const { version } = parseApiVersion(apiVersion)
    if (version === '' || version.includes('/')) {
      errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'))
    }
    for (const [part, value] of Object.entries({ kind, name, uid })) {
      if (value === '') errors.push(invalidValue(`${field}.${part}`, value, 'must not be empty'))
    }
    if (apiVersion === 'v1' && kind === 'Event') {
      errors.push(
        invalidValue(field, reference, '/v1, Kind=Event is disallowed from being an owner'),
      )
    }
    if (reference.controller !== true) continue
    const current = `${kind}/${name}`
    if (controller === '') controller = current
    else {
      errors.push(
        invalidValue(
          field,
          references,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
        ),
      )
    }
  }
  return errors
}

function validateFinalizers(finalizers: readonly string[] | undefined): FieldError[] {
  const field = 'metadata.finalizers'
  const errors: FieldError[] = []
  for (const finalizer of finalizers ?? []) {
    for (const message of labelKey(finalizer)) errors.push(invalidValue(field, finalizer, message))
  }
  if (finalizers?.includes('orphan') === true && finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    )
  }
  return errors
}

function validateNoNewFinalizers(
  next: readonly string[] = [],
  old: readonly string[] = [],
): FieldError[] {
  const added = [...new Set(next).difference(new Set(old))].sort()
  if (added.length === 0) return []
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  return [
    forbiddenValue(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ]
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, entry] of (entries ?? []).entries()) {
    const field = `metadata.managedFields[${index}]`
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(
        invalidValue(`${field}.operation`, entry.operation ?? '', 'must be `Apply` or `Update`'),
      )
    }
    if (entry.fieldsType !== undefined && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(`${field}.fieldsType`, entry.fieldsType, 'must be `FieldsV1`'))
    }
    errors.push(...validateFieldManager(entry.manager ?? '', `${field}.manager`))
    if ((entry.subresource ?? '').length > 256) errors.push(tooLong(`${field}.subresource`, 256))
  }
  return errors
}
