import { checkWorkLimit, type Json } from '@agents/crd'
import { sameJson, stringifyJson } from '@agents/kube'
import { copyJson, isObject, type JsonObject, member, setMember } from '../json/json-value.ts'
import { ApiError, badRequest, requestTooLarge } from '../status/api-error.ts'

/** RFC 6902 with the limits and deviations of the library that kube-apiserver uses (evanphx/json-patch v4). */

const maxOperations = 10_000
/** Keeps `copy` operations of a small patch from producing a huge object. */
const maxCopiedBytes = 3 * 1024 * 1024

interface Operation {
  readonly op: string
  readonly path: string
  readonly from: string
  readonly value: Json
}

/**
 * Applies a patch and returns a new document. Throws a 400 for an invalid patch and a 422 for one that does not apply.
 */
export function applyJsonPatch(document: Json, patch: Json): Json {
  if (!Array.isArray(patch)) {
    throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  }
  if (patch.length > maxOperations) {
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    )
  }
  const operations = patch.map(readOperation)
  const result = copyJson(document)
  let copied = 0
  for (const operation of operations) {
    if (operation.op === 'copy') {
      copied += stringifyJson(find(result, operation.from) ?? null).length
      if (copied > maxCopiedBytes) throw doesNotApply()
    }
    checkWorkLimit(copied)
    applyOperation(result, operation)
  }
  return result
}

function readOperation(entry: Json): Operation {
  if (entry === null) throw doesNotApply()
  if (!isObject(entry)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goType(entry)} into Go value of type handlers.jsonPatchOp`,
    )
  }
  const [op, path, from] = ['op', 'path', 'from'].map((key) => member(entry, key))
  if (typeof op !== 'string' || typeof path !== 'string') throw doesNotApply()
  // A missing value is null.
  return {
    op,
    path,
    from: typeof from === 'string' ? from : '',
    value: member(entry, 'value') ?? null,
  }
}

function applyOperation(document: Json, { op, path, from, value }: Operation): void {
  switch (op) {
    case 'add':
      add(document, path, value)
      return
    case 'remove':
      remove(document, path)
      return
    case 'replace':
      replace(document, path, value)
      return
    case 'move':
      add(document, path, remove(document, from))
      return
    case 'copy':
      add(document, path, copyJson(find(document, from) ?? null))
      return
    case 'test':
      // A missing field equals null.
      if (!sameJson(find(document, path) ?? null, value)) throw doesNotApply()
      return
    default:
      throw doesNotApply()
  }
}

function add(document: Json, path: string, value: Json): void {
  const { parent, key } = locate(document, path)
  if (Array.isArray(parent)) {
    parent.splice(key === '-' ? parent.length : arrayIndex(key, parent.length + 1), 0, value)
  } else {
    setMember(parent, key, value)
  }
}

function remove(document: Json, path: string): Json {
  const { parent, key } = locate(document, path)
  if (Array.isArray(parent)) return parent.splice(arrayIndex(key, parent.length), 1)[0] ?? null
  const value = member(parent, key)
  if (value === undefined) throw doesNotApply()
  delete parent[key]
  return value
}

function replace(document: Json, path: string, value: Json): void {
  const { parent, key } = locate(document, path)
  if (Array.isArray(parent)) {
    parent[arrayIndex(key, parent.length)] = value
  } else {
    // Like upstream, replaces fields that do not exist.
    setMember(parent, key, value)
  }
}

function find(document: Json, path: string): Json | undefined {
  const { parent, key } = locate(document, path)
  return Array.isArray(parent) ? parent[arrayIndex(key, parent.length)] : member(parent, key)
}

/**
 * The container of the last part of a pointer. Like upstream, rejects the empty pointer, which is the whole document.
 */
function locate(document: Json, path: string): { parent: Json[] | JsonObject; key: string } {
  if (!path.startsWith('/')) throw doesNotApply()
  checkWorkLimit(path.length)
  const parts = path
    .slice(1)
    .split('/')
    .map((part) => (part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part))
  const key = parts.pop() ?? ''
  let current: Json | undefined = document
  for (const part of parts) {
    if (Array.isArray(current)) current = current[arrayIndex(part, current.length)]
    else current = isObject(current) ? member(current, part) : undefined
  }
  if (!Array.isArray(current) && !isObject(current)) throw doesNotApply()
  return { parent: current, key }
}

/** Parses an index. Like upstream and unlike the RFC, negative indexes count from the end. */
function arrayIndex(key: string, size: number): number {
  if (!/^-?(0|[1-9]\d*)$/.test(key)) throw doesNotApply()
  const index = Number(key) < 0 ? size + Number(key) : Number(key)
  if (index < 0 || index >= size) throw doesNotApply()
  return index
}

/** Like upstream, the same message for all errors. */
function doesNotApply(): ApiError {
  return new ApiError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  )
}

/** Go's name for the type of a JSON value. */
function goType(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value
}
