import type { OrchestrationRun } from '@agents/jangar-api'
import type { KubeClient, ObjectKey } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { observe } from '../cluster/observe.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { deletedRun } from '../run/follow-run.ts'
import type { ShownRun } from '../run/run-kind.ts'
import { outcomeOf, progressOf, type RunOutcome } from '../run/run-outcome.ts'
import { OrchestrationRunKind } from './compose-orchestration-run.ts'

interface FollowOptions {
  readonly waitMs: number | undefined
  readonly quiet: boolean
}

/** Prints a line to standard output for each change of a step, until the run has ended. Returns the exit code. */
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
  const known = new Map<string, string>()
  let progress = ''
  const { phase, code, message } = await stoppable(context, waitMs, leave, (signal) =>
    observe(
      client,
      OrchestrationRunKind,
      key,
      (run): RunOutcome | undefined => {
        if (run === undefined) throw deletedRun(key)
        for (const line of changedSteps(run, known)) context.stdout.write(`${line}\n`)
        const shown = run as unknown as ShownRun
        const now = progressOf(shown)
        if (now !== progress && !quiet) context.stderr.write(`${now}\n`)
        progress = now
        return outcomeOf(shown)
      },
      signal,
    ),
  )
  if (!quiet && phase !== 'Succeeded') context.stderr.write(`${message}\n`)
  return code
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
