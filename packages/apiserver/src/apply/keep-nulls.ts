import type { KubeObject } from '@agents/kube'
import { isJsonObject } from '../json/json-value.ts'

/** Restores, in place, the nulls of `merged` that `object` has lost. */
export function keepNulls(object: KubeObject, merged: KubeObject): void {
  keepBelow(object, merged)
}

function keepBelow(target: unknown, source: unknown): void {
  if (Array.isArray(target) && Array.isArray(source)) {
    for (const [index, item] of source.entries()) keepBelow(target[index], item)
    return
  }
  if (!isJsonObject(target) || !isJsonObject(source)) return
  for (const [key, value] of Object.entries(source)) {
    if (value !== null) keepBelow(target[key], value)
    else if (target[key] === undefined) target[key] = null
  }
}
