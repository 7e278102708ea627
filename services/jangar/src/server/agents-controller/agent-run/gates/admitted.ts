import { type GateOf, pass, wait } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { Admission } from '../admission/admission.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunJobs } from '../run-jobs.ts'
import type { Looks } from '../run-look.ts'
import { conditionOf, isTrue } from './condition-of.ts'

type Admitted = GateOf<typeof agentRunConditions, 'Admitted', AgentRun, RunDetail>

/** Is there a place for it? One that has a place keeps it. */
export function admitted(
  looks: Looks,
  jobs: Pick<RunJobs, 'of'>,
  admission: Pick<Admission, 'ask'>,
): Admitted {
  return {
    condition: 'Admitted',
    check: (run, _detail, context) => {
      if (isTrue(run, 'Admitted') || run.spec.cancel) {
        return pass('Admitted', conditionOf(run, 'Admitted')?.message ?? hasPlace)
      }
      const resolution = looks(run, context).resolution()
      const repository = resolution.kind === 'resolved' ? resolution.work.repository : undefined
      // Its Job may have outlived the process that created it and did not come to say so.
      const started = jobs.of(run).length > 0
      const answer = admission.ask(run, { agent: run.spec.agentRef.name, repository, started })
      if (answer.kind === 'admitted') return pass('Admitted', hasPlace, { detail: noQueue })
      const { reason, message, position, eligibleAt, retryAfterMs } = answer
      const queue = { position, ...(eligibleAt && { eligibleAt: rfc3339(eligibleAt) }) }
      return wait(reason, message, retryAfterMs, { detail: { queue } })
    },
    unasked: () => noQueue,
  }
}

const hasPlace = 'it has been given a place'

const noQueue: Partial<RunDetail> = { queue: undefined }
