import type { Json } from '@agents/crd'
import { isObject } from './json-value.ts'

/** Formats a value like Go's %v, the form of patches in the messages of kube-apiserver. */
export function goPrinted(value: Json | undefined): string {
  if (value === undefined || value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goPrinted).join(' ')}]`
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${key}:${goPrinted(value[key])}`)
    return `map[${members.join(' ')}]`
  }
  return String(value)
}
