import { cancelled, failed, type GateOf, pass, type RunGateVerdict, wait } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import type { PromptDigest } from '../resolution/prompt-digest.ts'
import type { ResolvedWork } from '../resolution/resolution.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunJobs } from '../run-jobs.ts'
import type { Looks } from '../run-look.ts'
import { conditionOf, isTrue } from './condition-of.ts'

type Accepted = GateOf<typeof agentRunConditions, 'Accepted', AgentRun, RunDetail>

/** Is all there that the run refers to, and allowed what it asks for? Not asked again once it has a place. */
export function accepted(looks: Looks, jobs: Pick<RunJobs, 'of'>, digest: PromptDigest): Accepted {
  return {
    condition: 'Accepted',
    check: async (run, _detail, context) => {
      if (isTrue(run, 'Admitted')) return asBefore(run)
      if (run.spec.cancel) {
        // A Job without a record of it, by now perhaps over: created just before the controller died.
        if (jobs.of(run).length > 0) return asBefore(run)
        return cancelled('it was stopped before it began')
      }
      const resolution = looks(run, context).resolution()
      if (resolution.kind === 'waiting') {
        const { reason, message } = resolution
        return wait(reason, message, isTrue(run, 'Accepted') ? lookTwiceMs : askAgainMs)
      }
      if (resolution.kind === 'refused') {
        const { reason, message, contract } = resolution
        return failed(reason, message, contract && { detail: { contract } })
      }
      const { work } = resolution
      const { systemPrompt: prompt } = work
      const hash = prompt && (await digest(prompt, run.metadata.namespace, context.signal))
      return pass('Accepted', acceptedBecause(work), { detail: madeOf(work, hash) })
    },
  }
}

/** What is missing wakes the run when it comes; this is for what cannot tell. */
const askAgainMs = 60_000

/** Nobody wakes a run that is said to be accepted: what came back before it says otherwise would be missed. */
const lookTwiceMs = 1000

function asBefore(run: AgentRun): RunGateVerdict<'Accepted', RunDetail> {
  return pass('Accepted', conditionOf(run, 'Accepted')?.message ?? 'it was accepted')
}

function acceptedBecause({ notes }: ResolvedWork): string {
  return ['all that it refers to is there and allowed', ...notes].join('; ')
}

function madeOf(
  { vcs, contract }: ResolvedWork,
  systemPromptHash: string | undefined,
): Partial<RunDetail> {
  return {
    ...(vcs && { vcs: vcs.status }),
    ...(contract && { contract }),
    ...(systemPromptHash !== undefined && { systemPromptHash }),
  }
}
