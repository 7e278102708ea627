import { cancelled, failed, type GateOf, pass } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import { stillAccepted, waitForDependency } from '../../../jobs/acceptance.ts'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import { isTrue } from '../../../kubernetes/condition-of.ts'
import type { PromptDigest } from '../resolve/prompt-digest.ts'
import { usesSystemPrompt } from '../resolve/prompt-use.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunScope } from '../run-scope.ts'
import { withRepositoryOutcome } from './run-outcome.ts'

type Accepted = GateOf<typeof agentRunConditions, 'Accepted', AgentRun, RunDetail, RunScope>

/**
 * Whether everything that the run refers to exists, and what it requests is permitted. Not checked again once admitted.
 */
export function accepted(jobs: Pick<AttemptJobs<AgentRun>, 'of'>, digest: PromptDigest): Accepted {
  return {
    condition: 'Accepted',
    check: async (run, _detail, { signal, scope }) => {
      if (isTrue(run, 'Admitted')) return stillAccepted(run)
      if (run.spec.cancel) {
        // The controller may have ended after it created a Job and before it recorded that. The Job may have finished
        // since.
        if (jobs.of(run).length > 0) return stillAccepted(run)
        const verdict = cancelled('cancelled by spec.cancel before it started')
        return withRepositoryOutcome(run, {}, verdict)
      }
      const resolution = scope.resolution()
      // A run with a Job was accepted, and the controller ended before it recorded that.
      if (resolution.kind !== 'resolved' && jobs.of(run).length > 0) return stillAccepted(run)
      if (resolution.kind === 'waiting') return waitForDependency(run, resolution)
      if (resolution.kind === 'refused') {
        const { reason, message, contract } = resolution
        const verdict = failed(reason, message, contract && { detail: { contract } })
        return withRepositoryOutcome(run, {}, verdict)
      }
      const { work } = resolution
      // A program that ignores the system prompt must not look as if it had used it.
      const prompt = usesSystemPrompt(work.provider) ? work.systemPrompt : undefined
      const hash = prompt && (await digest(prompt, run.metadata.namespace, signal))
      return pass('Accepted', acceptedMessage(work), { detail: acceptedDetail(work, hash) })
    },
  }
}

function acceptedMessage({ notes }: ResolvedWork): string {
  return ['all references are resolved and permitted', ...notes].join('; ')
}

function acceptedDetail(
  { vcs, contract }: ResolvedWork,
  systemPromptHash: string | undefined,
): Partial<RunDetail> {
  return {
    ...(vcs && { vcs: vcs.status }),
    ...(contract && { contract }),
    ...(systemPromptHash !== undefined && { systemPromptHash }),
  }
}
