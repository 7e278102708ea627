import type { Children, Clock } from '@agents/controller'
import type { ApprovalPolicy, ApprovalRequest } from '@agents/jangar-api'
import { formatKey, type KubeObject } from '@agents/kube'
import { type ApprovalCaches, requestsBySubject } from '../caches/approval-caches.ts'
import { RecentlyDeleted } from '../kubernetes/recently-deleted.ts'
import { approvalRules, hasSubject } from '../primitives-policy/approvals/approval-rules.ts'

/** A run whose policies are looked for. */
export interface PolicedSubject {
  readonly metadata: KubeObject['metadata']
  /** The policy that the run names. */
  readonly named: string | undefined
  /** What a policy can have as its subject to concern the run. */
  readonly subjects: readonly { readonly kind: string; readonly name: string }[]
}

export type NeededPolicy =
  | { readonly name: string; readonly policy: ApprovalPolicy }
  | MissingPolicy

/** A policy that must approve, and does not exist. */
interface MissingPolicy {
  readonly name: string
  readonly policy?: undefined
  /** Why the run needs it nevertheless, and what to do. */
  readonly message: string
  /** When it is needed no longer, if it is not created again by then. */
  readonly until?: number
}

/**
 * Which policies must approve a run. A run that has been asked about keeps needing an approval: that its policy is
 * deleted answers nothing. Only a policy that can be followed, and does not concern the run, says that it needs none.
 */
export class NeededPolicies {
  readonly #caches: ApprovalCaches
  readonly #requests: Pick<Children<ApprovalRequest>, 'get'>
  readonly #deleted: RecentlyDeleted<ApprovalPolicy>
  /** Requests created here that the cache may not have yet, by the UID of their run. */
  readonly #created = new Map<string, Map<string, ApprovalRequest>>()

  constructor(
    caches: ApprovalCaches,
    requests: Pick<Children<ApprovalRequest>, 'get'>,
    clock: Pick<Clock, 'elapsed'>,
  ) {
    this.#caches = caches
    this.#requests = requests
    this.#deleted = new RecentlyDeleted(caches.approvalPolicies, namespaceOf, clock)
  }

  /** By name. */
  of(subject: PolicedSubject): NeededPolicy[] {
    const { metadata, named, subjects } = subject
    const { namespace = '' } = metadata
    const needed = new Map<string, NeededPolicy>()
    const existing = this.#caches.approvalPolicies.list(namespace)
    for (const policy of existing) {
      const { name } = policy.metadata
      if (name === named || hasSubject(policy, subjects)) needed.set(name, { name, policy })
    }
    const byName = new Map(existing.map((policy) => [policy.metadata.name, policy]))
    if (named !== undefined && !byName.has(named)) {
      const message = `ApprovalPolicy ${named} does not exist; create it`
      needed.set(named, { name: named, message })
    }
    for (const request of this.openRequests(metadata)) {
      const { name } = request.spec.policyRef
      if (needed.has(name)) continue
      const policy = byName.get(name)
      if (policy === undefined) needed.set(name, { name, message: goneMessage(request) })
      else if ('reason' in approvalRules(policy)) needed.set(name, { name, policy })
    }
    for (const { object, until } of this.#deleted.with(namespace)) {
      const { name } = object.metadata
      if (needed.has(name) || byName.has(name) || !hasSubject(object, subjects)) continue
      const message = `ApprovalPolicy ${name} has just been deleted; the run continues unless it is created again`
      needed.set(name, { name, message, until })
    }
    return [...needed.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /**
   * The requests about the whole run that are not withdrawn. Found by what they are about, which only the platform can
   * write: an owner reference can be removed by whoever may update the request.
   */
  openRequests({ uid = '' }: KubeObject['metadata']): ApprovalRequest[] {
    const found = new Map<string, ApprovalRequest>()
    for (const request of this.#caches.approvalRequests.byIndex(requestsBySubject, uid)) {
      found.set(request.metadata.name, request)
    }
    for (const request of this.#notCached(uid)) found.set(request.metadata.name, request)
    return [...found.values()].filter(({ spec }) => spec.cancel !== true)
  }

  /** To be called with each request that was created. */
  created(request: ApprovalRequest): void {
    const { uid } = request.spec.subject
    const known = this.#created.get(uid) ?? new Map<string, ApprovalRequest>()
    this.#created.set(uid, known.set(request.metadata.name, request))
    this.#notCached(uid)
  }

  #notCached(uid: string): ApprovalRequest[] {
    const created = this.#created.get(uid)
    if (created === undefined) return []
    for (const [name, { metadata }] of created) {
      const isBehind =
        this.#caches.approvalRequests.get(formatKey(metadata)) === undefined &&
        this.#requests.get(metadata) !== undefined
      if (!isBehind) created.delete(name)
    }
    if (created.size === 0) this.#created.delete(uid)
    return [...created.values()]
  }
}

function namespaceOf({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? '']
}

function goneMessage({ metadata, spec }: ApprovalRequest): string {
  const { name } = spec.policyRef
  return `ApprovalPolicy ${name} does not exist, and ApprovalRequest ${metadata.name} is about this run; create the policy again, without the run among its subjects if no approval is needed any more`
}
