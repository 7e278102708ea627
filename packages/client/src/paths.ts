import { ApiFailure } from './api-failure.ts'
import type { RunKey } from './records.ts'

export type QueryValue = string | number | boolean | readonly string[] | undefined

export function runPath({ namespace, name }: RunKey): string {
  return `/v1/runs/${segment(namespace)}/${segment(name)}`
}

export function objectPath(kind: string, { namespace, name }: RunKey): string {
  return `/v1/objects/${segment(kind)}/${segment(namespace)}/${segment(name)}`
}

export function deliveryPath(namespace: string, id: string): string {
  return `/v1/inbox/${segment(namespace)}/${segment(id)}`
}

/** Names come from addresses that anybody can write: one must not become another path. */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    throw new ApiFailure({ status: 0, code: 'BadRequest', message: `${text} is not a name` })
  }
  return encodeURIComponent(text)
}

export function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)]
    for (const each of values) parameters.append(name, each)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
