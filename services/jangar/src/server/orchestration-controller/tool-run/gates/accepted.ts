import { cancelled, failed, type GateOf, pass } from '@agents/controller'
import type { ToolRun, toolRunConditions } from '@agents/jangar-api'
import { stillAccepted, waitForDependency } from '../../../jobs/acceptance.ts'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import { isTrue } from '../../../kubernetes/condition-of.ts'
import { specOf } from '../tool-resolution.ts'
import type { ToolRunDetail } from '../tool-run-detail.ts'
import type { ToolRunScope } from '../tool-run-scope.ts'

type Accepted = GateOf<typeof toolRunConditions, 'Accepted', ToolRun, ToolRunDetail, ToolRunScope>

/** Whether the tool exists, and what it needs is permitted. Not checked again once admitted. */
export function accepted(jobs: Pick<AttemptJobs<ToolRun>, 'of'>): Accepted {
  return {
    condition: 'Accepted',
    check: (run, _detail, { scope }) => {
      if (isTrue(run, 'Admitted')) return stillAccepted(run)
      // The controller may have ended after it created a Job and before it recorded that.
      const hasJobs = jobs.of(run).length > 0
      if (specOf(run).cancel && !hasJobs) {
        return cancelled('cancelled by spec.cancel before it started')
      }
      if (specOf(run).cancel) return stillAccepted(run)
      const resolution = scope.resolution()
      if (resolution.kind !== 'resolved' && hasJobs) return stillAccepted(run)
      if (resolution.kind === 'waiting') return waitForDependency(run, resolution)
      if (resolution.kind === 'refused') return failed(resolution.reason, resolution.message)
      return pass('Accepted', 'the tool exists and can be run with these parameters')
    },
  }
}
