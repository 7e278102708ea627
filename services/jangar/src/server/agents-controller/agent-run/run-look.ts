import type { GateContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { type Carried, carryOn } from './carry-on.ts'
import type { Resolution } from './resolution/resolution.ts'
import type { RunJobs } from './run-jobs.ts'
import type { Workshop } from './runtime/runtime.ts'
import type { WorkObjects } from './workload/work-objects.ts'

/** What the gates of one pass find out together: each thing once. */
export interface RunLook {
  /** What the run is made of, its templates filled in; for a workflow that of all steps. */
  resolution(): Resolution
  carried(): Promise<Carried>
}

/** The same for all gates of a pass; passes are told apart by their context. */
export type Looks = (run: AgentRun, context: GateContext) => RunLook

/** `onFailedAttempt` is told of attempts that others follow. */
export function runLooks(
  jobs: RunJobs,
  workshop: Workshop,
  onFailedAttempt: (run: AgentRun, message: string) => void,
): Looks {
  const looks = new WeakMap<GateContext, RunLook>()
  return (run, context) => {
    const known = looks.get(context)
    if (known) return known
    const look = newLook(run, workshop, async (remembering) => {
      const carried = await carryOn(run, jobs, remembering, context)
      const { failedAttempt, kind } = carried
      if (failedAttempt !== undefined && kind === 'retrying') onFailedAttempt(run, failedAttempt)
      return carried
    })
    looks.set(context, look)
    return look
  }
}

function newLook(
  run: AgentRun,
  workshop: Workshop,
  carry: (remembering: Workshop) => Promise<Carried>,
): RunLook {
  let made: Made | undefined
  let carried: Promise<Carried> | undefined
  const resolve = (): Resolution => {
    made ??= wellMade(run, workshop)
    return made.resolution
  }
  // A workflow's steps are looked up when their turn comes; a run without steps is made of what was accepted just now.
  const remembering: Workshop = {
    resolve: (_run, step) => (step ? workshop.resolve(run, step) : resolve()),
    build: (work, of) => {
      const isFirst = of.attempt === 1 && of.step === undefined
      return (isFirst && made?.firstAttempt) || workshop.build(work, of)
    },
  }
  return {
    resolution: resolve,
    carried: () => {
      carried ??= carry(remembering)
      return carried
    },
  }
}

interface Made {
  readonly resolution: Resolution
  readonly firstAttempt?: WorkObjects
}

/** A template that cannot be filled in is found out before the run is accepted, where that is possible. */
function wellMade(run: AgentRun, workshop: Workshop): Made {
  const resolution = workshop.resolve(run, undefined)
  if (resolution.kind !== 'resolved' || run.spec.runtime.type === 'workflow') return { resolution }
  const objects = workshop.build(resolution.work, { run, attempt: 1 })
  if (objects.kind === 'refused') return { resolution: objects }
  return { resolution, firstAttempt: objects }
}
