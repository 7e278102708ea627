import type { KubeObject, PodSpec } from '@agents/kube'
import type { ListedObject } from './checksum-list.ts'

/** Secrets and ConfigMaps that pods of the Deployments read, and that no checksum restarts them for. */
export function uncoveredObjects(
  objects: readonly KubeObject[],
  listed: readonly ListedObject[],
): { readonly object: string; readonly usedBy: readonly string[] }[] {
  const covered = new Set(listed.map(({ kind, name }) => `${kind}/${name}`))
  const users = new Map<string, Set<string>>()
  for (const object of objects) {
    if (object.kind !== 'Deployment') continue
    for (const read of referencesOf(object)) {
      if (covered.has(read)) continue
      users.set(read, (users.get(read) ?? new Set()).add(object.metadata.name))
    }
  }
  return [...users]
    .map(([object, usedBy]) => ({ object, usedBy: [...usedBy].toSorted() }))
    .toSorted((a, b) => (a.object < b.object ? -1 : 1))
}

function referencesOf(deployment: KubeObject): string[] {
  const { template } = (deployment as { spec?: { template?: { spec?: PodSpec } } }).spec ?? {}
  return [...references(template?.spec)]
}

/** Anywhere in the pod: environment, volumes, projected volumes. */
function* references(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value) yield* references(one)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const { name, secretName } = (inner ?? {}) as { name?: string; secretName?: string }
    if (secretKeys.has(key) && (name ?? secretName)) yield `secret/${name ?? secretName}`
    if (configMapKeys.has(key) && name) yield `configmap/${name}`
    yield* references(inner)
  }
}

const secretKeys = new Set(['secretKeyRef', 'secretRef', 'secret'])
const configMapKeys = new Set(['configMapKeyRef', 'configMapRef', 'configMap'])
