import type { AgentRun } from '@agents/jangar-api'
import type { KubeClient, ObjectKey } from '@agents/kube'
import { CommandFailure } from '../cli/command-failure.ts'
import { shortDuration } from '../cli/duration.ts'
import { explainFailure } from '../cli/explain-failure.ts'
import type { World } from '../cli/world.ts'
import { observe } from '../cluster/observe.ts'
import { followOutput, type OutputOptions } from './follow-output.ts'
import { missingOutput } from './missing-output.ts'
import { progressTeller } from './progress-teller.ts'
import { AgentRunKind } from './run-kind.ts'
import { outcomeOf, progressOf, type RunOutcome } from './run-outcome.ts'
import { splitOutput } from './runner-line.ts'

export interface FollowOptions extends OutputOptions {
  /** Says nothing but what the agent says. */
  readonly quiet?: boolean
  readonly signal: AbortSignal
}

/** Shows a run's progress on the error output and what its agent says on the standard output, until it has ended. */
export async function followRun(
  client: KubeClient,
  key: ObjectKey,
  world: Pick<World, 'stdout' | 'stderr' | 'now'>,
  options: FollowOptions,
): Promise<RunOutcome> {
  const { stdout, stderr } = world
  let isMidLine = false
  const put = (line: string): void => {
    if (options.quiet === true) return
    // On a terminal, and in a file of both outputs, it would stand on the agent's last line.
    stderr.write(`${isMidLine ? '\n' : ''}${line}\n`)
    isMidLine = false
  }
  const say = (line: string): void => put(stderr.style.dim(line))
  const split = splitOutput(key.name, {
    agent: (bytes) => {
      isMidLine = bytes.at(-1) !== newline
      return stdout.pour(bytes)
    },
    // How the run ended is said anyway, from its status.
    runner: ({ level, message, detail }) => {
      if (level === 'info' || message === 'run finished') return
      say(`${key.name}  ${detail === undefined ? message : `${message}: ${detail}`}`)
    },
  })
  const output = followOutput(
    client,
    key,
    { begin: (title) => say(`-- ${title}`), write: split.write, end: split.end },
    options,
  )
  const progress = progressTeller((line) => say(`${key.name}  ${line}`))
  try {
    progress.tell(progressOf(unseen))
    const run = await observe(
      client,
      AgentRunKind,
      key,
      (seen) => {
        if (seen === undefined) throw vanished(key)
        if (outcomeOf(seen) !== undefined) return seen
        progress.tell(progressOf(seen))
        return undefined
      },
      options.signal,
      () => say(`${key.name}  the server does not answer; it is asked again`),
    )
    progress.drop()
    // The outcome is the run's, also for those who may not read what it said.
    const shown = await output.finish().catch((error: unknown) => {
      const { message, advice } = explainFailure(error, options.signal)
      const lines = [`what it said cannot be shown: ${message}`, ...advice]
      stderr.write(`${stderr.style.warn('warning:')} ${lines.join('\n')}\n`)
      return undefined
    })
    const outcome = outcomeOf(run)
    if (outcome === undefined) throw new TypeError('the run was over and is not')
    const hasBegun = run.status?.attempts !== undefined && run.status.attempts > 0
    const missing =
      shown !== undefined && hasBegun ? missingOutput(run, { pods: shown, shown }) : undefined
    if (missing !== undefined) say(missing)
    put(ending(run, outcome, world))
    return outcome
  } finally {
    progress.flush()
    await output.stop()
  }
}

const newline = 0x0a
const unseen = { status: {} } as AgentRun

function ending(run: AgentRun, outcome: RunOutcome, { stderr }: Pick<World, 'stderr'>): string {
  const { style } = stderr
  const { startedAt, finishedAt, usage } = run.status ?? {}
  const colour = { Succeeded: style.good, Cancelled: style.warn }[outcome.phase] ?? style.bad
  const facts = [
    ...(startedAt && finishedAt
      ? [`after ${shortDuration(Date.parse(finishedAt) - Date.parse(startedAt))}`]
      : []),
    ...(usage?.totalTokens === undefined ? [] : [`${usage.totalTokens} tokens`]),
  ]
  const detail = outcome.phase === 'Succeeded' ? '' : `  ${outcome.message}`
  const more = facts.length === 0 ? '' : ` ${style.dim(`(${facts.join(', ')})`)}`
  return `${run.metadata.name}  ${colour(outcome.phase)}${detail}${more}`
}

export function vanished({ name }: ObjectKey): CommandFailure {
  return new CommandFailure(`the run ${name} was deleted before it ended`)
}
