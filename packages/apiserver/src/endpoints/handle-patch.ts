import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { keepNulls } from '../apply/keep-nulls.ts'
import { copyJson, isJsonObject } from '../json/json-value.ts'
import type { ScaleSubresource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import type { RequestContext } from '../request/request-context.ts'
import { limited } from '../rest/environment.ts'
import type { FieldManager } from '../rest/field-manager.ts'
import type { Patcher } from '../rest/patcher.ts'
import { appliedByScale, scaleOf, withScale } from '../rest/scale.ts'
import { updateObject } from '../rest/update.ts'
import {
  ApiError,
  badRequest,
  notFound,
  unroutedMediaType,
  unsupportedMediaType,
} from '../status/api-error.ts'
import { mediaType } from './decode-body.ts'
import { decodePatched, yamlErrors } from './decode-object.ts'
import { type DecodedText, decodeJson, decodeYaml } from './decode-text.ts'
import { scaleBody, scaleSubresource, sendOutcome } from './handle-update.ts'
import { checkLiveWeight, contextOf, type ResourceRequest, targetOf } from './resource-request.ts'
import { parseWriteOptions } from './write-options.ts'

const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'
const strategicPatch = 'application/strategic-merge-patch+json'
const applyPatch = 'application/apply-patch+yaml'

/** Handles PATCH in its four formats. Only apply can create the object. */
export async function handlePatch(one: ResourceRequest, strategy: Strategy): Promise<void> {
  const { server, request } = one
  const { patcher, fieldManager } = server.environment
  const type = mediaType(request.headers['content-type'])
  const supported = supportedTypes(one, patcher, fieldManager)
  if (!supported.includes(type)) {
    // The routes of built-in kinds reject unknown patch types without a list of the supported ones.
    throw one.resource.isCustom ? unsupportedMediaType(supported) : unroutedMediaType()
  }
  if (one.info.name === '') throw badRequest('name must be provided')
  const bytes = await one.readBody()
  checkLiveWeight(one)
  const isApply = type === applyPatch
  const options = parseWriteOptions(one.query, 'PatchOptions', isApply)
  const context = contextOf(one, options)
  const desired =
    isApply && fieldManager !== undefined
      ? limited(server.environment, () =>
          applyUpdate(one, strategy, fieldManager, bytes, options.force, context),
        )
      : patchUpdate(one, strategy, () => patched(one, patcher, type, bytes), context)
  const outcome = await updateObject(
    server.environment,
    targetOf(one, strategy),
    { desired, forceCreate: isApply, managed: isApply },
    context,
  )
  await sendOutcome(one, outcome)
}

type DesiredObject = (live: KubeObject | undefined) => KubeObject

interface Patched {
  readonly duplicates: readonly string[]
  readonly strategic?: Json
  /** Returns a new value that may be mutated: it shares nothing that is changed in place with `object` or the patch. */
  apply(object: KubeObject): Json
}

function supportedTypes(
  { resource }: ResourceRequest,
  patcher: Patcher | undefined,
  fieldManager: FieldManager | undefined,
): string[] {
  const types: string[] = []
  if (patcher !== undefined) types.push(jsonPatch, mergePatch)
  if (patcher?.strategic !== undefined && !resource.isCustom) types.push(strategicPatch)
  if (fieldManager !== undefined) types.push(applyPatch)
  return types
}

function patched(
  { resource }: ResourceRequest,
  patcher: Patcher | undefined,
  type: string,
  bytes: Buffer,
): Patched {
  const head = type === strategicPatch ? '' : 'error decoding patch: '
  const { value, duplicates } = parsePatch(bytes, decodeJson, head)
  checkPatch(type, value, head)
  return {
    duplicates: type === jsonPatch ? operationProblems(value, duplicates) : duplicates,
    ...(type === strategicPatch ? { strategic: value } : {}),
    apply: (object) => {
      if (type === jsonPatch && patcher !== undefined) return copyJson(patcher.json(object, value))
      if (type === strategicPatch && patcher?.strategic !== undefined) {
        return copyJson(patcher.strategic(object, value, resource))
      }
      if (patcher === undefined) throw new Error('a patch was accepted without a patcher')
      return merged(patcher, object, value)
    },
  }
}

/**
 * Applies a merge patch. managedFields, half of many objects, are not copied deeply if the patch does not touch them.
 */
function merged(patcher: Patcher, object: KubeObject, patch: Json): Json {
  const { managedFields, ...metadata } = object.metadata
  const changes = isJsonObject(patch) && isJsonObject(patch.metadata) ? patch.metadata : {}
  if (managedFields === undefined || Object.hasOwn(changes, 'managedFields')) {
    return patcher.merge(object, patch)
  }
  const result = patcher.merge({ ...object, metadata }, patch)
  if (isJsonObject(result) && isJsonObject(result.metadata)) {
    result.metadata.managedFields = managedFields.map((entry) => ({ ...entry })) as Json[]
  }
  return result
}

function checkPatch(type: string, value: Json, head: string): void {
  const refuse = (found: Json, wanted: string): Error =>
    badRequest(`${head}json: cannot unmarshal ${jsonType(found)} into Go value of type ${wanted}`)
  if (type === jsonPatch) {
    if (!Array.isArray(value)) throw refuse(value, '[]handlers.jsonPatchOp')
    for (const operation of value) {
      // A null operation counts as an empty one, which fails.
      if (operation === null) continue
      if (!isJsonObject(operation)) throw refuse(operation, 'handlers.jsonPatchOp')
      for (const field of ['op', 'path', 'from']) {
        const found = operation[field] ?? ''
        if (typeof found === 'string') continue
        throw badRequest(
          `${head}json: cannot unmarshal ${jsonType(found)} into Go struct field jsonPatchOp.${field} of type string`,
        )
      }
    }
    return
  }
  if (value === null) throw badRequest('Invalid JSON Patch')
  if (!isJsonObject(value)) throw refuse(value, 'map[string]interface {}')
}

const operationFields = ['op', 'path', 'from', 'value']

function operationProblems(value: Json, duplicates: readonly string[]): string[] {
  const operations = Array.isArray(value) ? value : []
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(isJsonObject(operation) ? operation : {})
      .filter((field) => !operationFields.includes(field))
      .map((field) => `unknown field ${JSON.stringify(`[${index}].${field}`)}`),
  )
  return [...duplicates, ...unknown].map((problem) => `json patch ${problem}`)
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

/**
 * Parses the patch only once the object is known: like upstream, a missing object is reported before an invalid patch.
 */
function patchUpdate(
  one: ResourceRequest,
  strategy: Strategy,
  read: () => Patched,
  context: RequestContext,
): DesiredObject {
  const { resource, info } = one
  const scale = scaleSubresource(one)
  let known: Patched | undefined
  return (live) => {
    if (live === undefined) throw notFound(resource, info.name)
    known ??= read()
    const patch = known
    if (scale !== undefined) return patchedScale(one, scale, live, patch)
    return decodePatched(
      { resource, strategy },
      { ...patch, make: () => patch.apply(live) },
      context,
    )
  }
}

function patchedScale(
  { resource }: ResourceRequest,
  scale: ScaleSubresource,
  live: KubeObject,
  patch: Patched,
): KubeObject {
  const desiredScale = scaleBody(patch.apply(scaleOf(scale, live)))
  return withScale(resource, scale, live, desiredScale)
}

function applyUpdate(
  one: ResourceRequest,
  strategy: Strategy,
  fieldManager: FieldManager,
  bytes: Buffer,
  force: boolean,
  context: RequestContext,
): DesiredObject {
  const { resource, info } = one
  const converting = 'error converting YAML to JSON: '
  const { value, duplicates } = parsePatch(bytes, decodeYaml, `error decoding YAML: ${converting}`)
  if (!isJsonObject(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`,
    )
  }
  if (duplicates.length > 0) {
    if (context.fieldValidation === 'Strict') {
      throw badRequest(`error strict decoding YAML: ${converting}${yamlErrors(duplicates)}`)
    }
    if (context.fieldValidation === 'Warn')
      for (const duplicate of duplicates.slice(0, 200)) context.warnings.push(duplicate)
  }
  const scale = scaleSubresource(one)
  return (live) => {
    if (live === undefined) one.authorize('create')
    if (scale !== undefined && live === undefined) throw notFound(resource, info.name)
    const applied =
      scale !== undefined && live !== undefined
        ? appliedScale(one, scale, live, value as Json)
        : (copyJson(value) as unknown as KubeObject)
    const merged = fieldManager.onApply({
      resource,
      strategy,
      subresource: info.subresource,
      live,
      applied,
      manager: context.fieldManager ?? '',
      force,
      now: context.now,
    })
    const object = copyJson(merged)
    strategy.setDefaults(object)
    // Defaulting accepts null, but an applier would own it, so it is rejected.
    if (resource.isCustom) keepNulls(object, merged)
    return object
  }
}

/** Applying a Scale applies the replicas field of its parent, since that is the only field it can own. */
function appliedScale(
  { resource }: ResourceRequest,
  scale: ScaleSubresource,
  live: KubeObject,
  value: Json,
): KubeObject {
  const desiredScale = scaleBody(value)
  if ((desiredScale.metadata.name ?? '') === '') desiredScale.metadata.name = live.metadata.name
  return appliedByScale(resource, scale, live, desiredScale)
}

function parsePatch(
  bytes: Buffer,
  decode: (bytes: Buffer) => DecodedText,
  head: string,
): DecodedText {
  try {
    const decoded = decode(bytes)
    refuseInfinite(bytes, decoded.value)
    return decoded
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof SyntaxError)) throw error
    throw badRequest(`${head}${error.message}`)
  }
}

/** Rejects numbers that overflow a float64, as Go does. */
function refuseInfinite(bytes: Buffer, value: Json): void {
  if (!hasInfinite(value)) return
  // The pattern cannot backtrack, since the text may be crafted.
  for (const [literal] of bytes.toString('latin1').matchAll(/-?\d[\d.]*(?:[eE]\+?\d+)?/g)) {
    if (Math.abs(Number(literal)) !== Number.POSITIVE_INFINITY) continue
    throw new SyntaxError(`json: cannot unmarshal number ${literal} into Go value of type float64`)
  }
}

function hasInfinite(value: Json): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasInfinite)
}
