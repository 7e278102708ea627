import type { FieldError, Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { goPrinted } from '../json/go-printed.ts'
import { isJsonObject } from '../json/json-value.ts'
import { invalidValue } from '../status/field-errors.ts'

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export function checkScaleSpec(scale: ScalePaths | undefined, object: KubeObject): FieldError[] {
  return scale === undefined ? [] : checkReplicas(object, scale.specReplicasPath)
}

export function checkScaleStatus(scale: ScalePaths | undefined, object: KubeObject): FieldError[] {
  if (scale === undefined) return []
  const errors = checkReplicas(object, scale.statusReplicasPath)
  const path = scale.labelSelectorPath
  if (path === undefined) return errors
  const { value: selector, problem } = find(object, path)
  if (problem !== undefined) errors.push(invalidValue(path, '', problem))
  else if (selector !== undefined && typeof selector !== 'string') {
    errors.push(invalidValue(path, '', accessor(path, selector, 'string')))
  }
  return errors
}

const maxReplicas = 2 ** 31 - 1

function checkReplicas(object: KubeObject, path: string): FieldError[] {
  const { value, problem } = find(object, path)
  if (problem !== undefined) return [invalidValue(path, 0, problem)]
  if (value === undefined) return []
  if (typeof value !== 'bigint' && !Number.isInteger(value)) {
    return [invalidValue(path, 0, accessor(path, value, 'int64'))]
  }
  if (Number(value) < 0) return [invalidValue(path, value, 'should be a non-negative integer')]
  if (Number(value) > maxReplicas) {
    return [invalidValue(path, value, `should be less than or equal to ${maxReplicas}`)]
  }
  return []
}

/** `problem`: a value on the path is not an object. */
function find(object: KubeObject, path: string): { value?: unknown; problem?: string } {
  let value: unknown = object
  for (const part of path.split('.')) {
    if (part === '') continue
    if (!isJsonObject(value)) return { problem: accessor(path, value, 'map[string]interface{}') }
    if (!Object.hasOwn(value, part)) return {}
    value = value[part]
  }
  return { value }
}

function accessor(path: string, value: unknown, type: string): string {
  return `${path} accessor error: ${goPrinted(value as Json)} is of the type ${goType(value)}, expected ${type}`
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}'
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    default:
      return 'string'
  }
}
