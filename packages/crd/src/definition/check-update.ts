import { appendAll } from '../append-all.ts'
import { invalid } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { isJsonObject, type JsonObject } from '../schema/json-value.ts'
import type { Json } from '../schema/schema.ts'
import { checkAnnotations, checkLabels } from '../validation/object-meta.ts'
import {
  checkApproval,
  checkPreserve,
  checkSpec,
  checkStatus,
  type DefinitionOptions,
} from './check-definition.ts'
import { readObject, readObjects, readText } from './read.ts'

/** Checks the update of a CustomResourceDefinition as the API server does, including immutable fields. */
export function checkCustomResourceDefinitionUpdate(
  old: unknown,
  updated: unknown,
  options: DefinitionOptions = {},
): FieldError[] {
  const before = isJsonObject(old) ? old : {}
  const after = isJsonObject(updated) ? updated : {}
  const oldSpec = readObject(before, 'spec')
  const spec = readObject(after, 'spec')
  const metadata = readObject(after, 'metadata') ?? {}
  const wasPreserving = oldSpec?.preserveUnknownFields === true
  return [
    ...checkImmutable(
      readText(readObject(before, 'metadata'), 'name'),
      readText(metadata, 'name'),
      'metadata.name',
    ),
    ...checkLabels(metadata, 'metadata.labels'),
    ...checkAnnotations(metadata, 'metadata.annotations'),
    ...checkSpec(spec, options),
    ...checkIdentity(oldSpec, spec, isEstablished(before)),
    ...checkStatus(after, spec),
    ...checkApproval(after, before),
    ...(wasPreserving ? [] : checkPreserve(spec)),
  ]
}

/** Checks immutable fields. The name cannot change; scope and kind can change until the definition is established. */
function checkIdentity(
  old: JsonObject | undefined,
  spec: JsonObject | undefined,
  established: boolean,
): FieldError[] {
  const oldNames = readObject(old, 'names')
  const names = readObject(spec, 'names')
  const errors: FieldError[] = []
  if (established) {
    appendAll(errors, checkImmutable(readText(old, 'scope'), readText(spec, 'scope'), 'spec.scope'))
    errors.push(
      ...checkImmutable(readText(oldNames, 'kind'), readText(names, 'kind'), 'spec.names.kind'),
    )
  }
  appendAll(errors, checkImmutable(readText(old, 'group'), readText(spec, 'group'), 'spec.group'))
  errors.push(
    ...checkImmutable(readText(oldNames, 'plural'), readText(names, 'plural'), 'spec.names.plural'),
  )
  return errors
}

function checkImmutable(old: Json, value: Json, field: string): FieldError[] {
  return old === value ? [] : [invalid(field, value, 'field is immutable')]
}

function isEstablished(definition: JsonObject): boolean {
  return readObjects(readObject(definition, 'status'), 'conditions').some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  )
}
