import type { Json } from '@agents/crd'
import { ApiError, badRequest, requestTooLarge } from '../endpoints/api-error.ts'
import {
  copyJson,
  equalJson,
  isObject,
  type JsonObject,
  member,
  setMember,
} from '../json/json-value.ts'
import { stringifyJson } from '../json/stringify-json.ts'

/** RFC 6902, with the limits and the leniency of the library that kube-apiserver uses (evanphx/json-patch v4). */

const maxOperations = 10_000
/** Copies may not blow a small patch up into a huge object. */
const maxCopiedBytes = 3 * 1024 * 1024

interface Operation {
  readonly op: string
  readonly path: string
  readonly from: string
  /** `undefined` when the operation has no `value` member, which is not the same as null. */
  readonly value: Json | undefined
}

/** A new document; the one given stays as it is. Throws 400 for a patch that is none, 422 for one that does not apply. */
export function applyJsonPatch(document: Json, patch: Json): Json {
  if (!Array.isArray(patch)) {
    throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  }
  if (patch.length > maxOperations) {
    throw requestTooLarge(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    )
  }
  const root: Root = { value: copyJson(document) }
  let copied = 0
  for (const entry of patch) {
    const operation = readOperation(entry)
    if (operation.op === 'copy') {
      copied += stringifyJson(read(root.value, operation.from)).length
      if (copied > maxCopiedBytes) throw doesNotApply()
    }
    applyOperation(root, operation)
  }
  return root.value
}

/** Holds the document, so that an operation can replace it whole. */
interface Root {
  value: Json
}

function readOperation(entry: Json): Operation {
  if (!isObject(entry))
    throw badRequest('json: cannot unmarshal value into Go value of type jsonpatch.Operation')
  const [op, path, from] = ['op', 'path', 'from'].map((key) => member(entry, key))
  if (typeof op !== 'string' || typeof path !== 'string') throw doesNotApply()
  return { op, path, from: typeof from === 'string' ? from : '', value: member(entry, 'value') }
}

function applyOperation(root: Root, { op, path, from, value }: Operation): void {
  switch (op) {
    case 'add':
      add(root, path, present(value))
      return
    case 'remove':
      remove(root, path)
      return
    case 'replace':
      replace(root, path, present(value))
      return
    case 'move':
      add(root, path, remove(root, from))
      return
    case 'copy':
      add(root, path, copyJson(read(root.value, from)))
      return
    case 'test':
      // A member that is missing equals null.
      if (!equalJson(find(root.value, path) ?? null, value ?? null)) throw doesNotApply()
      return
    default:
      throw doesNotApply()
  }
}

function present(value: Json | undefined): Json {
  if (value === undefined) throw doesNotApply()
  return value
}

function add(root: Root, path: string, value: Json): void {
  if (path === '') {
    root.value = value
    return
  }
  const { parent, key } = locate(root.value, path)
  if (Array.isArray(parent)) {
    parent.splice(key === '-' ? parent.length : arrayIndex(key, parent.length + 1), 0, value)
  } else {
    setMember(parent, key, value)
  }
}

function remove(root: Root, path: string): Json {
  const { parent, key } = locate(root.value, path)
  if (Array.isArray(parent)) return parent.splice(arrayIndex(key, parent.length), 1)[0] ?? null
  const value = present(member(parent, key))
  delete parent[key]
  return value
}

function replace(root: Root, path: string, value: Json): void {
  if (path === '') {
    root.value = value
    return
  }
  const { parent, key } = locate(root.value, path)
  if (Array.isArray(parent)) {
    parent[arrayIndex(key, parent.length)] = value
  } else {
    // What is not there is set all the same: upstream does not look.
    setMember(parent, key, value)
  }
}

function read(document: Json, path: string): Json {
  return present(find(document, path))
}

function find(document: Json, path: string): Json | undefined {
  if (path === '') return document
  const { parent, key } = locate(document, path)
  return Array.isArray(parent) ? parent[arrayIndex(key, parent.length)] : member(parent, key)
}

/** The container that holds the last part of a pointer. */
function locate(document: Json, path: string): { parent: Json[] | JsonObject; key: string } {
  if (!path.startsWith('/')) throw doesNotApply()
  const parts = path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const key = parts.pop() ?? ''
  let current: Json | undefined = document
  for (const part of parts) {
    if (Array.isArray(current)) current = current[arrayIndex(part, current.length)]
    else current = isObject(current) ? member(current, part) : undefined
  }
  if (!Array.isArray(current) && !isObject(current)) throw doesNotApply()
  return { parent: current, key }
}

/** Negative indexes count from the end, which the RFC does not have but upstream does. */
function arrayIndex(key: string, size: number): number {
  if (!/^-?(0|[1-9]\d*)$/.test(key)) throw doesNotApply()
  const index = Number(key) < 0 ? size + Number(key) : Number(key)
  if (index < 0 || index >= size) throw doesNotApply()
  return index
}

/** Upstream says no more than this, whatever was wrong. */
function doesNotApply(): ApiError {
  return new ApiError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  )
}
