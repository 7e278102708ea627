import type { Json, JsonPatchOperation } from '@agents/crd'
import { isObject } from '../../json/json-value.ts'
import { applyJsonPatch } from '../../patch/json-patch.ts'
import { ApiError } from '../../status/api-error.ts'
import { PatchError } from './patch-error.ts'

/** Applies a JSON patch to an object. Returns the object unchanged if a `test` operation fails. */
export function applyPatch(object: Json, operations: readonly JsonPatchOperation[]): Json {
  const patch = operations as unknown as Json[]
  try {
    return applyJsonPatch(object, patch)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return afterFailure(object, patch, operations)
  }
}

/** Finds the operation that failed by applying them one by one. */
function afterFailure(
  object: Json,
  patch: readonly Json[],
  operations: readonly JsonPatchOperation[],
): Json {
  let current = object
  for (const [index, operation] of operations.entries()) {
    try {
      current = applyJsonPatch(current, [patch[index] ?? null])
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (operation.op === 'test') return object
      throw new PatchError(`JSON Patch: ${problemOf(operation, current)}`, { cause: error })
    }
  }
  throw new PatchError('JSON Patch: the patch does not apply')
}

/** The message of the library that kube-apiserver uses. */
function problemOf({ op, path }: JsonPatchOperation, document: Json): string {
  const steps = path.split('/')
  const key = (steps.pop() ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
  const hasParent = exists(document, steps.join('/'))
  if (!['add', 'remove', 'replace', 'move', 'copy', 'test'].includes(op)) {
    return `Unexpected kind: ${op}`
  }
  if (op === 'replace') {
    const what = hasParent ? 'key' : 'path'
    return `replace operation does not apply: doc is missing ${what}: ${path}: missing value`
  }
  if (!hasParent)
    return `${op} operation does not apply: doc is missing path: "${path}": missing value`
  if (op === 'remove') {
    return `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`
  }
  return `${op} operation does not apply: doc is missing path: "${path}": missing value`
}

function exists(document: Json, path: string): boolean {
  let value: Json | undefined = document
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = value[Number(name)]
    else value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return typeof value === 'object' && value !== null
}
