import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import { badRequest } from '../status/api-error.ts'

export interface FieldRequirement {
  readonly path: string
  readonly equal: boolean
  readonly value: string
}

/** A limit, since a watch evaluates its selector for every change. */
const maxRequirements = 1_000

/** Parses `metadata.name=x,status.phase!=Running`; throws a 400 if it is invalid. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .sort()
    .filter((term) => term !== '')
    .map((term) => {
      const at = term.indexOf('=')
      if (at === -1) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
      const equal = term[at - 1] !== '!'
      const rest = equal && term[at + 1] === '=' ? term.slice(at + 2) : term.slice(at + 1)
      return { path: term.slice(0, equal ? at : at - 1), equal, value: unescapeValue(rest) }
    })
}

/** Rejects fields that are not selectable for the resource. */
export function checkFieldSelector(
  requirements: readonly FieldRequirement[],
  resource: Resource,
): void {
  for (const { path } of requirements) {
    if (path === 'metadata.name') continue
    // Like upstream, built-in kinds without selectable fields accept the namespace even if they are cluster-scoped.
    const anything = !resource.isCustom && resource.selectableFields === undefined
    if (path === 'metadata.namespace' && (resource.namespaced || anything)) continue
    if (resource.selectableFields?.includes(path) === true) continue
    throw badRequest(resource.unknownFieldMessage?.(path) ?? `field label not supported: ${path}`)
  }
}

export function matchesFields(
  requirements: readonly FieldRequirement[],
  object: KubeObject,
  resource: Resource,
): boolean {
  for (const { path, equal, value } of requirements) {
    if ((fieldValue(path, object, resource) === value) !== equal) return false
  }
  return true
}

/** The name in the selector, if it selects a single name. */
export function exactField(
  requirements: readonly FieldRequirement[],
  path: string,
): string | undefined {
  return requirements.find((requirement) => requirement.path === path && requirement.equal)?.value
}

function fieldValue(path: string, object: KubeObject, resource: Resource): string {
  if (path === 'metadata.name') return object.metadata.name
  if (path === 'metadata.namespace') return object.metadata.namespace ?? ''
  return resource.selectableField?.(object, path) ?? ''
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === ',') {
      terms.push(text.slice(start, index))
      if (terms.length === maxRequirements) {
        throw badRequest(`the selector has more than ${maxRequirements} requirements`)
      }
      start = index + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(value: string): string {
  if (!/[\\,=]/.test(value)) return value
  let result = ''
  for (let index = 0; index < value.length; index++) {
    const character = value[index] ?? ''
    if (character === '\\') {
      const next = value[++index]
      if (next === undefined || !'\\,='.includes(next)) {
        throw badRequest(
          `invalid field selector: invalid escape sequence: \\${next === undefined ? '' : next}`,
        )
      }
      result += next
    } else if (character === ',' || character === '=') {
      throw badRequest(
        `invalid field selector: unescaped character in value: ${character.codePointAt(0)}`,
      )
    } else {
      result += character
    }
  }
  return result
}
