import { ForgeError, type LinearIssue, linearTracker } from '@agents/forge'
import type { ImplementationSource } from '@agents/jangar-api'
import { type KubeClient, SecretKind } from '@agents/kube'
import { type SourceIssue, versionOf } from '../../../inbox/delivery/source-issue.ts'
import type { ResolutionPorts } from '../../agent-run/resolve/resolution.ts'
import { platformSecretProblem } from '../../agent-run/resolve/secret-policy.ts'
import { linearAddress } from './linear-address.ts'
import type { ListedIssue, ListIssues } from './listing.ts'

type Ports = Omit<ResolutionPorts, 'claims'> & { readonly client: KubeClient }

/** What was permanently deleted is in no list of changes. */
const fullEveryMs = 3_600_000
/** By how much the clocks may differ. */
const overlapMs = 300_000

/** By the UID of a source. */
interface Last {
  /** When the last list began that was imported, and the last full one. */
  readonly atMs: number
  readonly fullAtMs: number
  /** What could not be imported. It need not be among the changes that follow. */
  readonly left: readonly ListedIssue[]
}

/**
 * Lists the issues of Linear, which has no conditional requests: all open ones of the scope now and then, and in
 * between what has changed.
 */
export function linearLists(ports: Ports): ListIssues {
  const last = new Map<string, Last>()
  return async (source, { now, isFull, signal }) => {
    const { uid = '' } = source.metadata
    const { team, project, labels } = source.spec.scope ?? {}
    const tracker = await openLinear(ports, source, signal)
    const atMs = now.getTime()
    const known = last.get(uid)
    const isRecent = known !== undefined && atMs - known.fullAtMs < fullEveryMs
    if (isRecent && !isFull && atMs >= known.atMs) {
      const since = new Date(known.atMs - overlapMs)
      const { issues, isPart } = await tracker.changedIssues(since, signal)
      const settle = (left: readonly ListedIssue[]) => void last.set(uid, { ...known, atMs, left })
      const changed = issues.map(listed)
      const again = known.left.filter((one) => !changed.some((other) => isSame(one, other)))
      if (!isPart) return { issues: [...again, ...changed], isComplete: false, settle }
    }
    const { issues, isPart } = await tracker.openIssues({ team, project, labels }, signal)
    const settle = (left: readonly ListedIssue[]) => {
      // A part does not tell what happened before.
      if (isPart) last.delete(uid)
      else last.set(uid, { atMs, fullAtMs: atMs, left })
    }
    return { issues: issues.map(listed), isComplete: !isPart, settle }
  }
}

function isSame(
  { issue: { externalId, formerIds } }: ListedIssue,
  { issue }: ListedIssue,
): boolean {
  const ids = [issue.externalId, ...(issue.formerIds ?? [])]
  return [externalId, ...(formerIds ?? [])].some((id) => ids.includes(id))
}

async function openLinear(
  ports: Ports,
  { metadata: { namespace }, spec }: ImplementationSource,
  signal: AbortSignal,
) {
  const { name = '', key = 'apiKey' } = spec.auth.apiKeySecretRef ?? {}
  const use = { name, key, purpose: 'which contains the API key of Linear' }
  const refused = platformSecretProblem(use, namespace, ports)
  if (refused !== undefined) throw new ForgeError('forbidden', refused.message)
  const address = linearAddress(spec)
  if ('problem' in address) throw new ForgeError('invalid', address.problem)
  const secret = await ports.client.get(SecretKind, { namespace, name }, { signal })
  const token = Buffer.from(secret.data?.[key] ?? '', 'base64')
    .toString()
    .trim()
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new ForgeError('unauthorized', `key ${key} of Secret ${name} is not an API key`)
  }
  return linearTracker({ baseUrl: address.baseUrl, token })
}

function listed({ isArchived, ...issue }: LinearIssue): ListedIssue {
  return { issue: sourceIssue(issue), isGone: isArchived }
}

function sourceIssue(issue: Omit<LinearIssue, 'isArchived'>): SourceIssue {
  const { identifier, previousIdentifiers, updatedAt, labels, ...rest } = issue
  const version = versionOf(updatedAt)
  if (version === undefined) throw new ForgeError('garbled', 'an issue has no valid updatedAt')
  return {
    ...rest,
    ...{ externalId: identifier, formerIds: previousIdentifiers, version },
    // Deliveries have them in another order.
    labels: labels.toSorted(),
  }
}
