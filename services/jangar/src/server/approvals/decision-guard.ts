import type { Clock } from '@agents/controller'
import { type ApprovalDecision, approvalDecision } from '@agents/jangar-api'
import { type KubeClient, KubeError, kindRef, type New } from '@agents/kube'

interface Finding {
  readonly isEnforced: boolean
  readonly until: number
}

/**
 * Finds out whether the API server keeps users from deciding for others in a namespace: it offers a decision in the
 * name of a user who does not exist as a dry run, which the admission policy of the platform refuses as invalid. That
 * proves more than the existence of the policy, and needs no rights to read it.
 */
export class DecisionGuard {
  readonly #client: Pick<KubeClient, 'create'>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #found = new Map<string, Finding>()

  constructor({
    client,
    clock,
  }: {
    readonly client: Pick<KubeClient, 'create'>
    readonly clock: Pick<Clock, 'elapsed'>
  }) {
    this.#client = client
    this.#clock = clock
  }

  async isEnforced(namespace: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#found.get(namespace)
    if (known !== undefined && known.until > this.#clock.elapsed()) return known.isEnforced
    const isEnforced = await this.#ask(namespace, signal)
    const until = this.#clock.elapsed() + (isEnforced ? enforcedMs : missingMs)
    this.#found.set(namespace, { isEnforced, until })
    return isEnforced
  }

  async #ask(namespace: string, signal: AbortSignal): Promise<boolean> {
    const forged = {
      metadata: { name: 'agents-guard-check', namespace },
      spec: {
        requestRef: { name: 'agents-guard-check' },
        digest: '0'.repeat(64),
        decision: 'Deny',
        approver: { username: 'agents:nobody' },
      },
    } as unknown as New<ApprovalDecision>
    try {
      await this.#client.create(kindRef<ApprovalDecision>(approvalDecision), forged, {
        dryRun: true,
        signal,
      })
      return false
    } catch (error) {
      // Another refusal says nothing: the rights of the platform may be missing.
      if (error instanceof KubeError && error.code === 403) return false
      if (error instanceof KubeError && error.code === 422) return true
      throw error
    }
  }
}

const enforcedMs = 5_000
const missingMs = 5_000
