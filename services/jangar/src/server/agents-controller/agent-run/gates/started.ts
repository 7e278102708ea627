import { cancelled, failed, type GateOf, pass, wait } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import type { Failure } from '../progress.ts'
import type { RunDetail } from '../run-detail.ts'
import type { Looks } from '../run-look.ts'
import { conditionOf, isTrue } from './condition-of.ts'

type Started = GateOf<typeof agentRunConditions, 'Started', AgentRun, RunDetail>

/** Has its work begun? Asking hands it over. */
export function started(looks: Looks): Started {
  return {
    condition: 'Started',
    check: async (run, _detail, context) => {
      if (isTrue(run, 'Started')) {
        return pass('Started', conditionOf(run, 'Started')?.message ?? hasBegun)
      }
      const carried = await looks(run, context).carried()
      if (carried.begun) return pass('Started', hasBegun)
      const { message, detail } = carried
      switch (carried.kind) {
        case 'succeeded':
          return pass('Started', hasBegun)
        case 'failed':
          return failed(reasonOf(carried.failure), message, { detail })
        case 'cancelled':
          return cancelled(message, { detail })
        case 'cancelling':
          return wait('Cancelling', message, carried.retryAfterMs, { detail })
        default: {
          const { trouble, retryAfterMs } = carried
          const { reason, message: said } = trouble ?? { reason: 'Submitting', message }
          const isBrief = reason === 'Submitting'
          return wait(reason, said, retryAfterMs, { detail, ...(isBrief && { tellAfterMs }) })
        }
      }
    },
  }
}

/**
 * Most work has begun by then, or is even over, which is told instead; also where the server has all it can do, and one more
 * write for each run would slow down all of them.
 */
const tellAfterMs = 3000

const hasBegun = 'its work has begun'

/** Without a word about its attempts there was none. */
function reasonOf(failure: Failure = 'Failed'): Exclude<Failure, 'Failed'> | 'SubmitFailed' {
  return failure === 'Failed' ? 'SubmitFailed' : failure
}
