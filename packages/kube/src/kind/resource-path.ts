import type { KindRef } from './kind-ref.ts'

type QueryValue = string | number | boolean | undefined

interface ResourceAddress {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly subresource?: string | undefined
}

/**
 * `/apis/batch/v1/namespaces/default/jobs/x/status`; without a namespace the collection is that of the whole cluster.
 */
export function resourcePath(kind: KindRef, address: ResourceAddress = {}): string {
  const { namespace, name, subresource } = address
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  let path = root
  if (kind.namespaced && namespace !== undefined && namespace !== '') {
    path += `/namespaces/${segment(namespace)}`
  } else if (kind.namespaced && name !== undefined) {
    throw new TypeError(`${kind.kind} ${name}: namespace is required`)
  }
  path += `/${kind.plural}`
  if (name !== undefined) path += `/${segment(name)}`
  if (subresource !== undefined) path += `/${subresource}`
  return path
}

/** Appends the parameters that are not undefined, empty or false. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  let text = ''
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '' || value === false) continue
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  }
  return path + text
}

/** Rejects names that could change the path; they are not valid in Kubernetes. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name)) {
    throw new TypeError(`${JSON.stringify(name)} is not a valid object name`)
  }
  return encodeURIComponent(name)
}
