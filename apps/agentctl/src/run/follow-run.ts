import type { KubeClient, ObjectKey, Pod } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { shortDuration } from '../cli/duration.ts'
import { explainFailure } from '../cli/explain-failure.ts'
import { observe } from '../cluster/observe.ts'
import { createCopy, createTranscript } from '../transcript/transcript.ts'
import { followOutput } from './follow-output.ts'
import { missingOutput } from './missing-output.ts'
import { createProgressReporter } from './progress-reporter.ts'
import { agentRuns, type ShownRun } from './run-kind.ts'
import { outcomeOf, progressOf, type RunOutcome } from './run-outcome.ts'
import type { OutputOptions, ReadKept } from './run-output.ts'
import { hasRunner } from './run-pods.ts'
import { splitOutput } from './runner-line.ts'

interface FollowOptions extends OutputOptions {
  /** Print only the output of the agent. */
  readonly quiet?: boolean
  /** Print the output of the agent byte for byte. */
  readonly raw?: boolean
  readonly signal: AbortSignal
  /** The output of pods that may no longer exist. If omitted, none. */
  readonly kept?: ReadKept
}

/**
 * Prints the progress of a run on standard error and the output of its agent on standard output, until it has ended.
 */
export async function followRun(
  client: KubeClient,
  key: ObjectKey,
  context: Pick<CommandContext, 'stdout' | 'stderr' | 'now'>,
  options: FollowOptions,
): Promise<RunOutcome> {
  const { stdout, stderr } = context
  const { of = agentRuns } = options
  const agent = options.raw === true ? createCopy(stdout) : createTranscript(stdout)
  const put = (line: string): void => {
    if (options.quiet === true) return
    // On a terminal it would be appended to an unfinished line of the agent.
    stderr.write(`${agent.takeMidLine() ? '\n' : ''}${line}\n`)
  }
  const printLine = (line: string): void => put(stderr.style.dim(line))
  const splitter = splitOutput(key.name, {
    agent: agent.write,
    // The outcome is printed from the status of the run.
    runner: ({ level, message, detail }) => {
      if (level === 'info' || message === 'run finished') return
      printLine(`${key.name}  ${detail === undefined ? message : `${message}: ${detail}`}`)
    },
  })
  // Without a runner, everything is output of the agent, whatever it looks like.
  const copy = { write: agent.write, end: () => Promise.resolve() }
  let split = splitter
  const sink = {
    // Output is kept by the runner.
    open: (pod: Pod | undefined) => {
      split = pod === undefined || hasRunner(pod) ? splitter : copy
    },
    begin: (title: string) => printLine(`-- ${title}`),
    write: (bytes: Uint8Array) => split.write(bytes),
    end: async () => {
      await split.end()
      await agent.end()
    },
  }
  const output = followOutput(client, key, sink, options)
  const progress = createProgressReporter((line) => printLine(`${key.name}  ${line}`))
  try {
    progress.report(progressOf(unreported))
    const run = await observe(
      client,
      of.kind,
      key,
      (seen) => {
        if (seen === undefined) throw deletedRun(key)
        if (outcomeOf(seen) !== undefined) return seen
        progress.report(progressOf(seen))
        return undefined
      },
      options.signal,
      () => printLine(`${key.name}  connection to the server lost; reconnecting`),
    )
    progress.drop()
    // The outcome is reported even if the output may not be read.
    const printed = await output.finish().catch((error: unknown) => {
      const { message, advice } = explainFailure(error, options.signal)
      const lines = [`the output of the run cannot be shown: ${message}`, ...advice]
      stderr.write(`${stderr.style.warn('warning:')} ${lines.join('\n')}\n`)
      return undefined
    })
    const outcome = outcomeOf(run)
    if (outcome === undefined) throw new TypeError('the run had ended but is active again')
    const hasBegun = run.status?.attempts !== undefined && run.status.attempts > 0
    const missing =
      printed !== undefined && hasBegun
        ? missingOutput(run, { pods: printed, printed }, of)
        : undefined
    if (missing !== undefined) printLine(missing)
    put(ending(run, outcome, context))
    return outcome
  } finally {
    progress.flush()
    await output.stop()
  }
}

const unreported = { status: {} } as ShownRun

function ending(
  run: ShownRun,
  outcome: RunOutcome,
  { stderr }: Pick<CommandContext, 'stderr'>,
): string {
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

export function deletedRun({ name }: ObjectKey): CommandFailure {
  return new CommandFailure(`run ${name} was deleted before it ended`)
}
