import type { AnyKind } from '@agents/crd'
import { unreconciledKinds } from '@agents/jangar-api'
import { isForbidden, isNotFound, type KubeObject, kindRef } from '@agents/kube'
import { platformKinds } from '../definitions/platform-kinds.ts'
import type { Examined } from './examined.ts'
import type { Finding } from './finding.ts'

const about = 'reconciliation'

type Looked = Pick<Examined, 'client' | 'namespace' | 'now' | 'signal'>

/** A controller that runs reconciles a new object within moments; in a burst, its status can follow a minute later. */
const patienceMs = 90_000
/** Of each kind. A controller that is switched off reconciles none of them. */
const mostExamined = 500

/**
 * Finds objects that no controller has reconciled although this release has one for their kind: it is switched off, or
 * does not watch their namespace.
 */
export async function checkNeglected(examined: Looked): Promise<Finding> {
  const reconciled = platformKinds.filter((kind) => !unreconciledKinds.includes(kind))
  const seen = await Promise.all(reconciled.map((kind) => neglectedOf(kind, examined)))
  const neglected = seen.flatMap(({ example }) => (example === undefined ? [] : [example]))
  const hidden = seen.flatMap(({ kind, where }) => (where === 'nowhere' ? [kind] : []))
  if (neglected.length === 0 && hidden.length > 0) {
    const says = `not checked: you are not allowed to list ${hidden.join(', ')}`
    return { about, verdict: 'doubtful', says }
  }
  if (neglected.length === 0) {
    const isPart = seen.some(({ where }) => where === 'namespace')
    const place = isPart ? ` in namespace ${examined.namespace}` : ''
    return { about, verdict: 'good', says: `no object${place} waits for its controller` }
  }
  return {
    about,
    verdict: 'bad',
    says: `no controller has reconciled objects of these kinds: ${neglected.join(', ')}`,
    advice: [
      'Check that their controller is switched on and watches the namespace: JANGAR_AGENTS_CONTROLLER_ENABLED, JANGAR_ORCHESTRATION_CONTROLLER_ENABLED, JANGAR_SUPPORTING_CONTROLLER_ENABLED and …_NAMESPACES, or controller, orchestrationController, supportingController and gitTargetController of the chart.',
    ],
  }
}

interface Seen {
  readonly kind: string
  /** Where objects of the kind could be listed. */
  readonly where: 'cluster' | 'namespace' | 'nowhere'
  /** The kind with one of its objects that nothing has reconciled. */
  readonly example?: string
}

async function neglectedOf(
  kind: AnyKind,
  { client, namespace, now, signal }: Looked,
): Promise<Seen> {
  for (const where of ['cluster', 'namespace'] as const) {
    const scope = where === 'cluster' ? {} : { namespace }
    try {
      const { items } = await client.list(kindRef(kind), { ...scope, limit: mostExamined, signal })
      const found = items.find((object) => isNeglected(object, now()))
      if (found === undefined) return { kind: kind.kind, where }
      const place = found.metadata.namespace === undefined ? '' : `${found.metadata.namespace}/`
      const example = `${kind.kind} (such as ${place}${found.metadata.name})`
      return { kind: kind.kind, where, example }
    } catch (error) {
      if (isNotFound(error)) return { kind: kind.kind, where }
      if (!isForbidden(error)) throw error
    }
  }
  return { kind: kind.kind, where: 'nowhere' }
}

function isNeglected({ metadata, status }: KubeObject, now: Date): boolean {
  const { observedGeneration = -1 } = (status ?? {}) as { observedGeneration?: number }
  const createdAt = Date.parse(metadata.creationTimestamp ?? '')
  return observedGeneration < 0 && now.getTime() - createdAt > patienceMs
}
