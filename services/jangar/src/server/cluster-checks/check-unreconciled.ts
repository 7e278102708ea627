import type { AnyKind } from '@agents/crd'
import { unreconciledKinds } from '@agents/jangar-api'
import { isForbidden, isNotFound, type KubeClient, kindRef } from '@agents/kube'
import type { Finding } from './finding.ts'

const about = 'unreconciled kinds'

interface Examined {
  readonly client: KubeClient
  readonly namespace: string
  readonly signal: AbortSignal
  /** If omitted, those that no controller of this release reconciles. */
  readonly kinds?: readonly AnyKind[]
}

/** Finds objects that have no effect, because no controller of this release reconciles their kind. */
export async function checkUnreconciled(examined: Examined): Promise<Finding> {
  const { kinds = unreconciledKinds } = examined
  const uses = await Promise.all(kinds.map((kind) => useOf(kind, examined)))
  const used = uses.filter((use) => use !== 'unused' && use !== 'forbidden')
  if (used.length > 0) {
    return {
      about,
      verdict: 'doubtful',
      says: `no controller of this release reconciles these kinds, so their objects have no effect: ${used.join(', ')}`,
      advice: ['Delete the objects, or keep them for a release that reconciles their kind.'],
    }
  }
  if (uses.includes('forbidden')) {
    return {
      about,
      verdict: 'doubtful',
      says: 'not checked: you are not allowed to list all kinds of the platform',
    }
  }
  return { about, verdict: 'good', says: 'no object has a kind that no controller reconciles' }
}

/** The kind with one of its objects, if there is any in the cluster or, where that is forbidden, in the namespace. */
async function useOf(
  kind: AnyKind,
  { client, namespace, signal }: Examined,
): Promise<'unused' | 'forbidden' | `${string} (${string})`> {
  for (const scope of [{}, { namespace }]) {
    try {
      const { items } = await client.list(kindRef(kind), { ...scope, limit: 1, signal })
      const [first] = items
      if (first === undefined) return 'unused'
      return `${kind.kind} (such as ${first.metadata.namespace}/${first.metadata.name})`
    } catch (error) {
      if (isNotFound(error)) return 'unused'
      if (!isForbidden(error)) throw error
    }
  }
  return 'forbidden'
}
