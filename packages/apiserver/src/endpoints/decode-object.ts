import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { formatApiVersion, parseApiVersion, stringifyJson } from '@agents/kube'
import { goPrinted } from '../json/go-printed.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { Resource } from '../registry/resource.ts'
import type { Decoding } from '../registry/strategy.ts'
import type { RequestContext } from '../request/request-context.ts'
import { ApiError, badRequest, invalid, unknownKind } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'
import type { DecodedText } from './decode-text.ts'
import { fieldProblems, sortedFields, unknownField } from './field-problems.ts'
import { shapeMetadata } from './metadata-shape.ts'

interface DecodeTarget {
  readonly resource: Kind
  readonly strategy: Decoding
}

type Kind = Pick<Resource, 'group' | 'version' | 'kind' | 'isCustom'>

/** Reports whether a built-in kind exists. */
export type IsKind = (apiVersion: string, kind: string) => boolean

/**
 * Turns a parsed body into an object of the resource: checks type and metadata, drops unknown fields (or rejects or
 * warns), and sets defaults. Mutates the value of `decoded`.
 */
export function decodeObject(
  { resource, strategy }: DecodeTarget,
  decoded: DecodedText,
  context: RequestContext,
  isKind: IsKind,
): KubeObject {
  const object = typedObject(resource, decoded, isKind)
  let unknown: string[]
  try {
    unknown = pruneObject(strategy, object)
  } catch (error) {
    if (error instanceof TypeError) throw badRequest(cannotHandle(resource, object, error.message))
    throw error
  }
  const { duplicates, isYaml } = decoded
  const hasProblems = duplicates.length + unknown.length > 0
  if (hasProblems && context.fieldValidation === 'Strict') {
    const problems =
      isYaml && duplicates.length > 0
        ? [yamlErrors(duplicates), ...problemsOf(resource, { ...decoded, duplicates: [] }, unknown)]
        : problemsOf(resource, decoded, unknown)
    throw badRequest(cannotHandle(resource, object, strictMessage(problems)))
  }
  if (hasProblems && context.fieldValidation === 'Warn') {
    warn(context, problemsOf(resource, decoded, unknown))
  }
  strategy.setDefaults(object)
  return object
}

/** Custom resources are decoded before their fields are checked, so that duplicates come first. */
function problemsOf(
  { isCustom }: Kind,
  { duplicates, isYaml, text }: DecodedText,
  unknown: readonly string[],
): string[] {
  if (isCustom) return [...duplicates, ...unknown.map(unknownField)]
  if (isYaml) return [...duplicates, ...sortedFields(unknown)]
  return text === undefined
    ? [...duplicates, ...unknown.map(unknownField)]
    : fieldProblems(text, unknown)
}

/** More than the response headers can carry. */
const maxWarnings = 200

function warn({ warnings }: RequestContext, problems: readonly string[]): void {
  for (const problem of problems.slice(0, maxWarnings)) warnings.push(problem)
}

/** Formats several problems as Go's YAML parser does. */
export function yamlErrors(problems: readonly string[]): string {
  return `yaml: unmarshal errors:\n  ${problems.join('\n  ')}`
}

interface PatchedObject {
  /** Returns a new copy each time, since decoding mutates the object and error messages show the original. */
  readonly make: () => Json
  readonly duplicates: readonly string[]
  /** The strategic merge patch, which upstream decodes differently from other patches and shows in error messages. */
  readonly strategic?: Json
}

/** Like `decodeObject` for the result of a patch. Errors are reported as errors of the patch. */
export function decodePatched(
  { resource, strategy }: DecodeTarget,
  { make, duplicates, strategic }: PatchedObject,
  context: RequestContext,
): KubeObject {
  const value = make()
  const refuse = (why: string): Error => {
    const payload = strategic === undefined ? sortedJson(make()) : goPrinted(strategic)
    const reason = strategic === undefined ? why : converterMessage(why)
    return invalid({ group: '', kind: '' }, '', [invalidValue('patch', payload, reason)])
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
  if (context.fieldValidation === 'Warn') warn(context, problems)
  // For custom resources, validation rejects a changed type.
  if (!resource.isCustom) checkVersion(resource, object)
  strategy.setDefaults(object)
  return object
}

/** The message of Go's converter from maps for an error `why` of its JSON decoder. */
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

function rejected(): ApiError {
  const message = 'the server rejected our request due to an error in our request'
  return new ApiError(422, 'Invalid', message, {})
}

/** Limits the length of the message. */
const maxProblems = 500

function strictMessage(problems: readonly string[]): string {
  return `strict decoding error: ${problems.slice(0, maxProblems).join(', ')}`
}

function typedObject(resource: Kind, decoded: DecodedText, isKind: IsKind): KubeObject {
  const { value } = decoded
  const summary = (): string => stringifyJson(value)
  if (value === null) throw missingKind(resource, 'null', '6e756c6c')
  if (!isJsonObject(value)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (${Buffer.from(summary()).toString('hex').slice(0, 60)})`,
    )
  }
  const object = value as unknown as KubeObject
  if (!resource.isCustom && typeof object.apiVersion === 'string') {
    checkGroupVersion(resource, object, decoded.text ?? summary())
    object.apiVersion = withoutEmptyGroup(object.apiVersion)
  }
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

/** Rejects an apiVersion with more than one slash, or with nothing after it. */
function checkGroupVersion(resource: Kind, { kind, apiVersion }: KubeObject, text: string): void {
  const [group, version, ...rest] = apiVersion.split('/')
  if (rest.length > 0) {
    const short = text.length > 30 ? `${text.slice(0, 30)} ...` : text
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): unexpected GroupVersion string: ${apiVersion} (${short})`,
    )
  }
  if (group === '' || version !== '') return
  throw badRequest(
    `${kind || resource.kind} in version "" cannot be handled as a ${resource.kind}: Object 'apiVersion' is missing in '${text}'`,
  )
}

/** Go reads `/v1` as version v1 of the core group, and `/` as no version. */
function withoutEmptyGroup(apiVersion: string): string {
  return /^\/[^/]*$/.test(apiVersion) ? apiVersion.slice(1) : apiVersion
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

/** Throws TypeError with the message of Go's decoder if a field of the metadata has a wrong type. */
function pruneObject(strategy: Decoding, object: KubeObject): string[] {
  if (strategy.shapesMetadata === true) return strategy.prune(object)
  const metadata: unknown = object.metadata ?? {}
  if (!isJsonObject(metadata)) {
    const type = Array.isArray(metadata) ? 'array' : typeof metadata
    throw new TypeError(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`)
  }
  object.metadata = metadata as unknown as KubeObject['metadata']
  return shapeMetadata(metadata).concat(strategy.prune(object))
}

function cannotHandle(resource: Kind, object: KubeObject, why: string): string {
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
  return `${object.kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`
}

/** Formats a value as Go prints maps. */
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
