import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { formatApiVersion, parseApiVersion, stringifyJson } from '@agents/kube'
import { goPrinted } from '../json/go-printed.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { Decoding, Resource } from '../registry/resource.ts'
import { invalidValue } from '../rest/field-errors.ts'
import type { RequestContext } from '../rest/request-context.ts'
import { ApiError, badRequest, invalid } from './api-error.ts'
import type { DecodedText } from './decode-text.ts'
import { shapeMetadata } from './metadata-shape.ts'

export interface DecodeTarget {
  readonly resource: Kind
  readonly strategy: Decoding
}

type Kind = Pick<Resource, 'group' | 'version' | 'kind' | 'isCustom'>

/** Is there a built-in kind of that name? */
export type IsKind = (apiVersion: string, kind: string) => boolean

/**
 * Turns a parsed body into an object of the resource: type and metadata checked, unknown fields dropped (and refused or
 * warned about), defaults filled in. The value of `decoded` is taken over and changed.
 */
export function decodeObject(
  { resource, strategy }: DecodeTarget,
  decoded: DecodedText,
  context: RequestContext,
  isKind: IsKind,
): KubeObject {
  const object = typedObject(resource, decoded.value, isKind)
  let unknown: string[]
  try {
    unknown = pruneObject(strategy, object)
  } catch (error) {
    if (error instanceof TypeError) throw badRequest(cannotHandle(resource, object, error.message))
    throw error
  }
  const { duplicates, isYaml } = decoded
  const fields = unknown.map(unknownField)
  if (duplicates.length + fields.length > 0 && context.fieldValidation === 'Strict') {
    const repeated = isYaml && duplicates.length > 0 ? [yamlErrors(duplicates)] : duplicates
    throw badRequest(cannotHandle(resource, object, strictMessage([...repeated, ...fields])))
  }
  if (context.fieldValidation === 'Warn') context.warnings.push(...duplicates, ...fields)
  strategy.setDefaults(object)
  return object
}

/** Several problems of a YAML text as its parser tells them. */
export function yamlErrors(problems: readonly string[]): string {
  return `yaml: unmarshal errors:\n  ${problems.join('\n  ')}`
}

export interface PatchedObject {
  /** Makes the object anew each time, since decoding changes it and a message may want it as it was. */
  readonly make: () => Json
  readonly duplicates: readonly string[]
  /** Of a strategic merge patch, which is decoded in another way than the rest and blamed itself. */
  readonly strategic?: Json
}

/** The same for the result of a patch, whose faults are blamed on the patch. */
export function decodePatched(
  { resource, strategy }: DecodeTarget,
  { make, duplicates, strategic }: PatchedObject,
  context: RequestContext,
): KubeObject {
  const value = make()
  const refuse = (why: string): Error => {
    const shown = strategic === undefined ? sortedJson(make()) : goPrinted(strategic)
    const reason = strategic === undefined ? why : converterMessage(why)
    return invalid({ group: '', kind: '' }, '', [invalidValue('patch', shown, reason)])
  }
  if (value === null) throw rejected()
  if (!isJsonObject(value)) throw refuse('json: cannot unmarshal into an object')
  let unknown: string[]
  const object = value as unknown as KubeObject
  try {
    object.metadata ??= { name: '' }
    unknown = pruneObject(strategy, object)
  } catch (error) {
    if (error instanceof TypeError) throw refuse(error.message)
    throw error
  }
  const problems = [...duplicates, ...unknown.map(unknownField)]
  if (problems.length > 0 && context.fieldValidation === 'Strict') {
    throw refuse(strictMessage(problems))
  }
  if (context.fieldValidation === 'Warn') context.warnings.push(...problems)
  // A custom resource that changed its type is found invalid by its own rules.
  if (!resource.isCustom) checkVersion(resource, object)
  strategy.setDefaults(object)
  return object
}

/** What Go's converter from maps says where its JSON decoder says `why`. */
function converterMessage(why: string): string {
  const [, found = '', type = ''] =
    /^json: cannot unmarshal (\w+(?: \S+)?) into Go .*of type (\S+)$/.exec(why) ?? []
  if (type === '') return why
  const kind = goKind(found)
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`
  if (type.includes('.')) return `cannot restore struct from: ${kind}`
  const isConvertible = type.startsWith('int') || (type === 'string' && kind === 'int64')
  return found.startsWith('number') && isConvertible
    ? `cannot convert ${kind} to ${type}`
    : `unrecognized type: ${type}`
}

function goKind(found: string): string {
  if (found === 'array') return 'slice'
  if (found === 'object') return 'map'
  if (!found.startsWith('number')) return found
  return /[.e]/.test(found.slice('number'.length)) ? 'float64' : 'int64'
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`
}

function rejected(): ApiError {
  const message = 'the server rejected our request due to an error in our request'
  return new ApiError(422, 'Invalid', message, {})
}

function strictMessage(problems: readonly string[]): string {
  return `strict decoding error: ${problems.join(', ')}`
}

function typedObject(resource: Kind, value: Json, isKind: IsKind): KubeObject {
  const summary = (): string => stringifyJson(value)
  if (value === null) throw missingKind(resource, 'null', '6e756c6c')
  if (!isJsonObject(value)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (${Buffer.from(summary()).toString('hex').slice(0, 60)})`,
    )
  }
  const object = value as unknown as KubeObject
  for (const field of ['kind', 'apiVersion'] as const) {
    const text: unknown = object[field]
    if (text !== undefined && text !== null && typeof text !== 'string') {
      throw badRequest(
        `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${typeof text} into Go struct field .${field} of type string`,
      )
    }
    if (text !== undefined && text !== null && text !== '') continue
    if (resource.isCustom && field === 'kind') {
      const text = summary()
      throw missingKind(resource, text, text.length > 30 ? `${text.slice(0, 30)} ...` : text)
    }
    if (resource.isCustom) object.apiVersion = ''
    else object[field] = field === 'kind' ? resource.kind : formatApiVersion(resource)
  }
  if (!resource.isCustom) checkKind(resource, object, isKind)
  checkVersion(resource, object)
  return object
}

function checkKind(resource: Kind, object: KubeObject, isKind: IsKind): void {
  const { kind, apiVersion } = object
  if (!isKind(apiVersion, kind)) {
    throw badRequest(cannotHandle(resource, object, unknownKind(kind, apiVersion)))
  }
  if (kind === resource.kind) return
  const { version } = parseApiVersion(apiVersion)
  const internal = resource.group === '' ? 'core' : resource.group.split('.')[0]
  throw badRequest(
    cannotHandle(
      resource,
      object,
      `converting (${version}.${kind}) to (${internal}.${resource.kind}): unknown conversion`,
    ),
  )
}

export function unknownKind(kind: string, apiVersion: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
}

function missingKind(resource: Kind, text: string, short: string): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${text}' (${short})`,
  )
}

function checkVersion(resource: Kind, object: KubeObject): void {
  const expected = formatApiVersion(resource)
  if (object.apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${object.apiVersion}) does not match the expected API version (${expected})`,
    )
  }
}

/** Throws TypeError with the message of Go's decoder when the metadata has a wrong type somewhere. */
function pruneObject(strategy: Decoding, object: KubeObject): string[] {
  if (strategy.shapesMetadata === true) return strategy.prune(object)
  const metadata: unknown = object.metadata ?? {}
  if (!isJsonObject(metadata)) {
    const type = Array.isArray(metadata) ? 'array' : typeof metadata
    throw new TypeError(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`)
  }
  object.metadata = metadata as unknown as KubeObject['metadata']
  return [...shapeMetadata(metadata), ...strategy.prune(object)]
}

function cannotHandle(resource: Kind, object: KubeObject, why: string): string {
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
  return `${object.kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`
}

/** As Go writes maps. */
function sortedJson(value: Json): string {
  const sorted = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(sorted)
    if (!isJsonObject(part)) return part
    return Object.fromEntries(
      Object.keys(part)
        .sort()
        .map((key) => [key, sorted(part[key] as Json)]),
    )
  }
  return stringifyJson(sorted(value))
}
