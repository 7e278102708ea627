import { required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { ownValue } from '../schema/json-value.ts'
import type { Schema } from '../schema/schema.ts'

/** Checks that fields in the junctors of the root are also specified outside of them. Upstream checks the root only. */
export function checkCompleteness(schema: Schema, path: string): FieldError[] {
  return checkBranches(schema, schema, path, path)
}

function checkBranches(
  validation: Schema,
  structure: Schema,
  structurePath: string,
  validationPath: string,
): FieldError[] {
  const branches: [string, Schema][] = []
  if (validation.not !== undefined) branches.push(['not', validation.not])
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (validation[junctor] ?? []).entries()) {
      branches.push([`${junctor}[${index}]`, branch])
    }
  }
  return branches.flatMap(([segment, branch]) =>
    checkNested(branch, structure, structurePath, `${validationPath}.${segment}`),
  )
}

function checkNested(
  validation: Schema,
  structure: Schema | undefined,
  structurePath: string,
  validationPath: string,
): FieldError[] {
  if (structure === undefined) {
    return [required(structurePath, `because it is defined in ${validationPath}`)]
  }
  const errors = checkBranches(validation, structure, structurePath, validationPath)
  if (validation.items !== undefined) {
    const itemsPath = `${validationPath}.items`
    errors.push(
      ...checkNested(validation.items, structure.items, `${structurePath}.items`, itemsPath),
    )
  }
  for (const [name, property] of Object.entries(validation.properties ?? {})) {
    const segment = `properties[${name}]`
    errors.push(
      ...checkNested(
        property,
        ownValue(structure.properties, name),
        `${structurePath}.${segment}`,
        `${validationPath}.${segment}`,
      ),
    )
  }
  return errors
}
