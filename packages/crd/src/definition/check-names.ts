import { appendAll } from '../append-all.ts'
import { invalid, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { dns1035LabelProblems } from '../format/names.ts'
import type { JsonObject } from '../schema/json-value.ts'
import { readText, readTexts } from './read.ts'

/** The names of a kind with the defaults of the API server. */
export function completedNames(names: JsonObject | undefined): JsonObject {
  const kind = readText(names, 'kind')
  return {
    ...names,
    singular: readText(names, 'singular') || kind.toLowerCase(),
    listKind: readText(names, 'listKind') || (kind === '' ? '' : `${kind}List`),
  }
}

export function checkRequiredNames(names: JsonObject, field: string): FieldError[] {
  return ['plural', 'singular', 'kind', 'listKind']
    .filter((name) => readText(names, name) === '')
    .map((name) => required(`${field}.${name}`))
}

export function checkNames(names: JsonObject | undefined, field: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['plural', 'singular'])
    appendAll(errors, checkLabel(readText(names, name), `${field}.${name}`))
  for (const name of ['kind', 'listKind']) {
    const value = readText(names, name)
    const problems = value === '' ? [] : dns1035LabelProblems(value.toLowerCase())
    if (problems.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`
      errors.push(invalid(`${field}.${name}`, value, detail))
    }
  }
  for (const list of ['shortNames', 'categories']) {
    for (const [index, value] of readTexts(names, list).entries()) {
      const problems = dns1035LabelProblems(value)
      if (problems.length > 0)
        errors.push(invalid(`${field}.${list}[${index}]`, value, problems.join(',')))
    }
  }
  const kind = readText(names, 'kind')
  const listKind = readText(names, 'listKind')
  if (kind !== '' && kind === listKind) {
    errors.push(invalid(`${field}.listKind`, listKind, 'kind and listKind may not be the same'))
  }
  return errors
}

function checkLabel(value: string, field: string): FieldError[] {
  const problems = value === '' ? [] : dns1035LabelProblems(value)
  return problems.length === 0 ? [] : [invalid(field, value, problems.join(','))]
}
