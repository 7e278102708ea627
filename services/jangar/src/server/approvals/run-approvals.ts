import {
  Children,
  type Clock,
  mappedSource,
  type ObjectApi,
  objectApi,
  type ResourceCache,
  type Source,
  type Step,
  stepDone,
} from '@agents/controller'
import {
  type ApprovalPolicy,
  type ApprovalRequest,
  requestedByAnnotation,
} from '@agents/jangar-api'
import {
  isControlledBy,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type New,
  ownerIndex,
} from '@agents/kube'
import { isFinished, rfc3339 } from '@agents/status'
import {
  type AdmissionPolicy,
  type PolicyVerdict,
  policyPass,
} from '../admission/admission-policies.ts'
import type { ApprovalCaches } from '../caches/approval-caches.ts'
import { conditionOf, isTrue } from '../kubernetes/condition-of.ts'
import { digestOf } from '../kubernetes/digest.ts'
import { waitsForApproval } from '../kubernetes/waits-for-approval.ts'
import { approvalRules } from '../primitives-policy/approvals/approval-rules.ts'
import { type ApprovalContent, type ApprovalObstacle, summaryText } from './approval-content.ts'
import type { DecisionGuard } from './decision-guard.ts'
import { NeededPolicies, type NeededPolicy } from './needed-policies.ts'
import { requestName } from './request-name.ts'

type ApprovalReason = 'WaitingForApproval' | 'PolicyMissing' | 'ApprovalDenied' | 'ApprovalExpired'

export interface RunApprovalsPorts {
  readonly client: KubeClient
  readonly caches: ApprovalCaches
  readonly clock: Clock
  readonly guard: Pick<DecisionGuard, 'isEnforced'>
  /** Whether approvals count although the API server does not verify who decides. */
  readonly allowUnverified: boolean
}

/** Undefined while it is being resolved. */
type MaybeContent = ApprovalContent | ApprovalObstacle | undefined

type PolicedRun = KubeObject & {
  readonly spec?: {
    readonly policy?:
      | { readonly approvalPolicyRef?: { readonly name: string } | undefined }
      | undefined
  }
}

/** How runs of one kind are approved. */
interface RunShape<Run> {
  /** What a policy can have as its subject to concern the run. */
  subjectsOf(run: Run): readonly { readonly kind: string; readonly name: string }[]
}

/** Asks for approvals of runs of one kind, and checks that they have them. */
export class RunApprovals<Run extends PolicedRun> {
  readonly #ports: RunApprovalsPorts
  readonly #shape: RunShape<Run>
  readonly #api: ObjectApi<ApprovalRequest>
  readonly #requests: Children<ApprovalRequest>
  readonly #needed: NeededPolicies

  constructor(ports: RunApprovalsPorts, shape: RunShape<Run>) {
    this.#ports = ports
    this.#shape = shape
    const { approvalRequests } = ports.caches
    this.#api = objectApi(ports.client, approvalRequests.kind)
    this.#requests = new Children(this.#api, approvalRequests)
    this.#needed = new NeededPolicies(ports.caches, this.#requests, ports.clock)
  }

  /** Lets a run wait until all policies that concern it have approved what it would run. */
  policy<Scope>(
    contentOf: (
      run: Run,
      scope: Scope,
      signal: AbortSignal,
    ) => MaybeContent | Promise<MaybeContent>,
  ): AdmissionPolicy<Run, Scope, ApprovalReason> {
    return async (run, scope, signal) => {
      const needed = this.#neededBy(run)
      if (needed.length === 0) {
        // A policy says that the run needs no approval any more, or the run never needed one.
        if (this.#needed.openRequests(run.metadata).length > 0) {
          await this.#withdraw(run, () => true, signal)
        }
        return policyPass
      }
      return this.#evaluate(run, needed, await contentOf(run, scope, signal), signal)
    }
  }

  /** Whether the run needs an approval, or needed one. */
  concerns(run: Run): boolean {
    return this.#neededBy(run).length > 0
  }

  /**
   * Why no Job may be created for the run, or undefined. Checked for each Job: the status of a run can be written by
   * others, and what the run refers to can change after it was admitted.
   */
  startProblem(run: Run, content: MaybeContent): string | undefined {
    const needed = this.#neededBy(run)
    if (needed.length === 0) return undefined
    const isKnown = content !== undefined && !('obstacle' in content)
    const digest = isKnown ? this.#digestOf(run, content) : undefined
    const missing = needed.find(({ name }) => {
      const request = digest && this.#find(run, name, digest)
      return !request || !isTrue(request, 'Succeeded')
    })
    return (
      missing &&
      `ApprovalPolicy ${missing.name} has not approved what would run now; create another run`
    )
  }

  /** Changes that requeue runs: of their requests, and of policies while runs wait for approval. */
  sources(runs: ResourceCache<Run>): Source[] {
    const { kind } = runs.kind
    runs.addIndexers({ [waitingIndex]: waitingIn })
    return [
      // Not by owner: whoever may update a request can remove it.
      mappedSource('approval requests', this.#ports.caches.approvalRequests, (request) => {
        const { subject } = request.spec
        if (subject.kind !== kind || subject.step !== undefined) return []
        return [{ namespace: request.metadata.namespace, name: subject.name }]
      }),
      mappedSource('approval policies', this.#ports.caches.approvalPolicies, ({ metadata }) =>
        runs.byIndex(waitingIndex, metadata.namespace ?? '').map((run) => run.metadata),
      ),
    ]
  }

  /** Withdraws requests that nobody waits for when a run has ended. */
  get withdrawal(): Step<Run> {
    return {
      name: 'withdraw approval requests',
      run: async (run, { signal }) => {
        await this.#withdraw(run, () => true, signal)
        return stepDone
      },
    }
  }

  #neededBy(run: Run): NeededPolicy[] {
    return this.#needed.of({
      metadata: run.metadata,
      named: run.spec?.policy?.approvalPolicyRef?.name,
      subjects: this.#shape.subjectsOf(run),
    })
  }

  async #evaluate(
    run: Run,
    needed: readonly NeededPolicy[],
    content: MaybeContent,
    signal: AbortSignal,
  ): Promise<PolicyVerdict<ApprovalReason>> {
    const missing = needed.find((one) => one.policy === undefined)
    if (missing) return missingVerdict(missing, this.#ports.clock)
    if (content === undefined)
      return { ...waiting('what would run is being resolved'), requeueAfterMs: 1000 }
    if ('obstacle' in content) return waiting(`it cannot be approved: ${content.obstacle}`)
    const { namespace = '' } = run.metadata
    const { guard, allowUnverified, clock } = this.#ports
    const digest = this.#digestOf(run, content)
    const requests: ApprovalRequest[] = []
    for (const { name, policy } of needed) {
      if (policy) requests.push(await this.#request(run, name, policy, { content, digest, signal }))
    }
    // After the others exist: until then these keep the run from starting if a policy is deleted.
    const names = new Set(requests.map(({ metadata }) => metadata.name))
    await this.#withdraw(run, ({ metadata }) => !names.has(metadata.name), signal)
    const now = clock.now().getTime()
    for (const request of requests) {
      const end = endOf(request, now)
      if (end !== undefined) return end
    }
    const open = requests.find((request) => !isTrue(request, 'Succeeded'))
    if (open) {
      const { name } = open.metadata
      return waiting(
        `ApprovalRequest ${name} of ApprovalPolicy ${open.spec.policyRef.name} is pending`,
      )
    }
    if (!allowUnverified && !(await guard.isEnforced(namespace, signal))) {
      return waiting(
        'the API server does not verify who decides: the admission policies of the platform are not in effect',
      )
    }
    const notes = requests.map(
      (request) =>
        `${conditionOf(request, 'Succeeded')?.message} (ApprovalRequest ${request.metadata.name})`,
    )
    return { kind: 'pass', note: notes.join('; ') }
  }

  async #request(
    run: Run,
    policyName: string,
    policy: ApprovalPolicy,
    {
      content,
      digest,
      signal,
    }: {
      readonly content: ApprovalContent
      readonly digest: string
      readonly signal: AbortSignal
    },
  ): Promise<ApprovalRequest> {
    const known = this.#find(run, policyName, digest)
    if (known) return known
    const { namespace, name, uid = '' } = run.metadata
    const requestedBy = run.metadata.annotations?.[requestedByAnnotation]
    const rules = approvalRules(policy)
    const seconds = 'reason' in rules ? undefined : rules.expiresAfterSeconds
    const deadline =
      seconds === undefined
        ? undefined
        : rfc3339(new Date(this.#ports.clock.now().getTime() + seconds * 1000))
    const child = {
      metadata: { name: requestName(run, policyName, digest), namespace },
      spec: {
        subject: { kind: run.kind, name, uid },
        policyRef: { name: policyName },
        digest,
        summary: summaryText(content),
        ...(requestedBy !== undefined && { requestedBy }),
        ...(deadline !== undefined && { deadline }),
      },
    } as unknown as New<ApprovalRequest> & { metadata: { name: string } }
    const { object } = await this.#requests.createOrObserve(child, run, signal)
    this.#needed.created(object)
    return object
  }

  /** Only a request of this run: the name alone proves nothing. */
  #find(run: Run, policyName: string, digest: string): ApprovalRequest | undefined {
    const { namespace, uid } = run.metadata
    const found = this.#requests.get({ namespace, name: requestName(run, policyName, digest) })
    if (found === undefined) return undefined
    const { spec } = found
    const isOurs =
      isControlledBy(found, run) &&
      spec.subject.uid === uid &&
      spec.subject.step === undefined &&
      spec.policyRef.name === policyName &&
      spec.digest === digest
    return isOurs ? found : undefined
  }

  #digestOf(run: Run, { digested }: ApprovalContent): string {
    const { namespace, name, uid } = run.metadata
    return digestOf({ subject: { kind: run.kind, namespace, name, uid }, content: digested })
  }

  async #withdraw(
    run: Run,
    isObsolete: (request: ApprovalRequest) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { approvalRequests } = this.#ports.caches
    const { uid = '' } = run.metadata
    for (const request of approvalRequests.byIndex(ownerIndex, uid)) {
      const { metadata, spec, status } = request
      const isOpen = !isFinished(status?.conditions) && spec.cancel !== true
      const isOfRun =
        isControlledBy(request, run) && spec.subject.uid === uid && spec.subject.step === undefined
      if (!isOpen || !isOfRun || !isObsolete(request)) continue
      try {
        await this.#api.patch(metadata, { spec: { cancel: true } }, signal)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  }
}

const waitingIndex = 'waitingForApproval'

function waitingIn(run: KubeObject): readonly string[] {
  return waitsForApproval(run) ? [run.metadata.namespace ?? ''] : []
}

function missingVerdict(
  { message, until }: Exclude<NeededPolicy, { readonly policy: ApprovalPolicy }>,
  clock: Pick<Clock, 'elapsed'>,
): PolicyVerdict<ApprovalReason> {
  const requeueAfterMs = until === undefined ? undefined : Math.max(until - clock.elapsed(), 0) + 1
  return {
    kind: 'wait',
    reason: 'PolicyMissing',
    message,
    ...(requeueAfterMs !== undefined && { requeueAfterMs }),
  }
}

function waiting(message: string): PolicyVerdict<ApprovalReason> & { readonly kind: 'wait' } {
  return { kind: 'wait', reason: 'WaitingForApproval', message }
}

/** How a request that approves nothing ended. */
function endOf(request: ApprovalRequest, now: number): PolicyVerdict<ApprovalReason> | undefined {
  const { name } = request.metadata
  if (!isTrue(request, 'Finished')) return undefined
  const { reason, message } = conditionOf(request, 'Succeeded') ?? {}
  const told = `ApprovalRequest ${name}: ${message}`
  if (isTrue(request, 'Succeeded')) {
    const { expiresAt } = request.status ?? {}
    if (expiresAt === undefined || Date.parse(expiresAt) > now) return undefined
    const late = `ApprovalRequest ${name}: the approval expired at ${expiresAt}, before the run started; create another run`
    return { kind: 'fail', reason: 'ApprovalExpired', message: late }
  }
  return {
    kind: 'fail',
    reason: reason === 'Expired' ? 'ApprovalExpired' : 'ApprovalDenied',
    message: told,
  }
}
