import type { Orchestration, OrchestrationRun } from '@agents/jangar-api'
import type { KubeClient, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { observe } from '../cluster/observe.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { deletedRun } from '../run/follow-run.ts'
import type { ShownRun } from '../run/run-kind.ts'
import { outcomeOf, progressOf, type RunOutcome } from '../run/run-outcome.ts'
import { OrchestrationRunKind } from './compose-orchestration-run.ts'
import { drawGraph } from './draw-graph.ts'
import { liveLines } from './live-lines.ts'
import { shownSteps } from './shown-steps.ts'

interface FollowOptions {
  readonly waitMs: number | undefined
  readonly quiet: boolean
}

/**
 * Shows the steps until the run has ended: at a terminal a tree that is redrawn, else a line for each change. Returns
 * the exit code.
 */
export async function followSteps(
  client: KubeClient,
  key: ObjectKey,
  context: CommandContext,
  { waitMs, quiet }: FollowOptions,
): Promise<number> {
  const leave = {
    what: `run ${key.name}`,
    advice: [
      `The run continues. To see how far it is: agentctl graph orchestrationrun ${key.name}`,
    ],
  }
  const show = isLive(context)
    ? showTree(context, key)
    : { step: showLines(context, quiet), end: () => undefined }
  try {
    const { phase, code, message } = await stoppable(context, waitMs, leave, (signal) =>
      observe(
        client,
        OrchestrationRunKind,
        key,
        (run): RunOutcome | undefined => {
          if (run === undefined) throw deletedRun(key)
          show.step(run)
          return outcomeOf(run as unknown as ShownRun)
        },
        signal,
      ),
    )
    if (!quiet && phase !== 'Succeeded') context.stderr.write(`${message}\n`)
    return code
  } finally {
    show.end()
  }
}

function isLive({ stdout, environment }: CommandContext): boolean {
  return stdout.isTerminal && environment.TERM !== 'dumb'
}

function showLines({ stdout, stderr }: CommandContext, quiet: boolean) {
  const known = new Map<string, string>()
  let progress = ''
  return (run: OrchestrationRun): void => {
    for (const line of changedSteps(run, known)) stdout.write(`${line}\n`)
    const now = progressOf(run as unknown as ShownRun)
    if (now !== progress && !quiet) stderr.write(`${now}\n`)
    progress = now
  }
}

function showTree({ terminal }: CommandContext, { name }: ObjectKey) {
  const lines = liveLines(terminal)
  return {
    step: (run: OrchestrationRun): void => {
      const { orchestration, stepStatuses } = run.status ?? {}
      const frozen = orchestration?.spec as Orchestration['spec'] | undefined
      const tree = frozen === undefined ? [] : drawGraph(shownSteps(frozen, stepStatuses))
      lines.draw([`${name}  ${progressOf(run as unknown as ShownRun)}`, ...tree])
    },
    end: lines.end,
  }
}

/** The lines of steps that differ from what is known, which is updated. */
export function changedSteps(
  { status }: Pick<OrchestrationRun, 'status'>,
  known: Map<string, string>,
): string[] {
  return (status?.stepStatuses ?? []).flatMap((step) => {
    const { name, phase = 'Pending', attempt = 0, reason, message } = step
    const nth = attempt > 1 ? ` (attempt ${attempt})` : ''
    const why = phase === 'Succeeded' ? '' : [reason, message].filter(Boolean).join(': ')
    const line = `${name}: ${phase}${nth}${why && `: ${why}`}`
    if (phase === 'Pending' || known.get(name) === line) return []
    known.set(name, line)
    return [line]
  })
}
