import type { AnyKind } from '@agents/crd'
import { unreconciledKinds } from '@agents/jangar-api'
import { isForbidden, isNotFound, type KubeClient, type KubeObject, kindRef } from '@agents/kube'
import { platformKinds } from '../definitions/platform-kinds.ts'
import type { Finding } from './finding.ts'

const about = 'reconciliation'

interface Examined {
  readonly client: KubeClient
  readonly namespace: string
  readonly now: () => Date
  readonly signal: AbortSignal
}

/** A controller that runs reconciles a new object within moments. */
const patienceMs = 60_000
/** Of each kind. A controller that is switched off reconciles none of them. */
const mostExamined = 500

/**
 * Finds objects that no controller has reconciled although this release has one for their kind: it is switched off, or
 * does not watch their namespace.
 */
export async function checkNeglected(examined: Examined): Promise<Finding> {
  const reconciled = platformKinds.filter((kind) => !unreconciledKinds.includes(kind))
  const uses = await Promise.all(reconciled.map((kind) => neglectedOf(kind, examined)))
  const neglected = uses.filter((use) => use !== undefined)
  if (neglected.length === 0) {
    return { about, verdict: 'good', says: 'no object waits for its controller' }
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

async function neglectedOf(
  kind: AnyKind,
  { client, namespace, now, signal }: Examined,
): Promise<string | undefined> {
  for (const scope of [{}, { namespace }]) {
    try {
      const { items } = await client.list(kindRef(kind), { ...scope, limit: mostExamined, signal })
      const found = items.find((object) => isNeglected(object, now()))
      const place = found?.metadata.namespace === undefined ? '' : `${found.metadata.namespace}/`
      return found && `${kind.kind} (such as ${place}${found.metadata.name})`
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (!isForbidden(error)) throw error
    }
  }
  return undefined
}

function isNeglected({ metadata, status }: KubeObject, now: Date): boolean {
  const { observedGeneration = -1 } = (status ?? {}) as { observedGeneration?: number }
  const createdAt = Date.parse(metadata.creationTimestamp ?? '')
  return observedGeneration < 0 && now.getTime() - createdAt > patienceMs
}
