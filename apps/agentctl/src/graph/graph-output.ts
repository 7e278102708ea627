import type { OrchestrationRun } from '@agents/jangar-api'
import { isNotFound, type KubeClient, type ObjectKey, type Pod } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { explainFailure } from '../cli/explain-failure.ts'
import { observe } from '../cluster/observe.ts'
import { followOutput } from '../run/follow-output.ts'
import { deletedRun } from '../run/follow-run.ts'
import { type ShownKind, type ShownRun, shownKind } from '../run/run-kind.ts'
import { outcomeOf, type RunOutcome } from '../run/run-outcome.ts'
import { type KeptOutput, type OutputOptions, showOutput } from '../run/run-output.ts'
import { hasRunner } from '../run/run-pods.ts'
import { splitOutput } from '../run/runner-line.ts'
import { createCopy, createTranscript } from '../transcript/transcript.ts'
import { OrchestrationRunKind } from './compose-orchestration-run.ts'
import { changedSteps } from './follow-steps.ts'
import { labelledOutput } from './labelled-output.ts'
import { type StepChild, stepChildren } from './step-children.ts'

type Printer = Pick<CommandContext, 'stdout' | 'stderr'>

interface GraphOutputOptions extends Omit<OutputOptions, 'of'> {
  /** Do not print progress. */
  readonly quiet: boolean
  /** Print the output of agents line by line as it is. */
  readonly raw: boolean
  readonly signal: AbortSignal
  /** The output of pods of a step's run that no longer exist. If omitted, none. */
  readonly kept?: ((run: ObjectKey, of: ShownKind) => Promise<readonly KeptOutput[]>) | undefined
}

/** Prints the output of all steps of a run so far, one step after the other. Returns how many pods had output. */
export async function showGraphOutput(
  client: KubeClient,
  key: ObjectKey,
  printer: Printer,
  options: GraphOutputOptions,
): Promise<number> {
  let printed = 0
  const show = async (run: OrchestrationRun | undefined, above: string): Promise<void> => {
    for (const child of run === undefined ? [] : stepChildren(run, above)) {
      if (child.kind === OrchestrationRunKind.kind) {
        const { signal } = options
        await show(await readRun(client, { ...key, name: child.name }, signal), `${child.label}/`)
      } else printed += await showChild(client, key, child, printer, options)
    }
  }
  await show(await client.get(OrchestrationRunKind, key, { signal: options.signal }), '')
  return printed
}

/** Prints the output of all steps of a run as it comes, until the run has ended. */
export async function followGraphOutput(
  client: KubeClient,
  key: ObjectKey,
  printer: Printer,
  options: GraphOutputOptions,
): Promise<RunOutcome> {
  const control = new AbortController()
  const signal = AbortSignal.any([options.signal, control.signal])
  const tasks: Promise<unknown>[] = []
  const failures: unknown[] = []
  const start = (task: Promise<unknown>): void => {
    tasks.push(task.catch((error: unknown) => void failures.push(error)))
  }
  const all = { ...options, signal }
  // Steps that had ended when they were seen first are shown one after the other.
  let queue = Promise.resolve<unknown>(undefined)
  const follow = async (name: string, above: string): Promise<RunOutcome> => {
    const runKey = { ...key, name }
    const seen = new Map<string, () => void>()
    const known = new Map<string, string>()
    const take = (run: OrchestrationRun): void => {
      if (!options.quiet) {
        for (const line of changedSteps(run, known)) {
          printer.stderr.write(`${printer.stderr.style.dim(`${above}${line}`)}\n`)
        }
      }
      for (const child of stepChildren(run, above)) {
        const end = seen.get(child.name)
        if (end !== undefined) {
          if (child.hasEnded) end()
          continue
        }
        const ended = Promise.withResolvers<void>()
        seen.set(child.name, ended.resolve)
        if (child.kind === OrchestrationRunKind.kind) {
          start(follow(child.name, `${child.label}/`))
        } else if (child.hasEnded) {
          const shown = queue.then(() => showChild(client, key, child, printer, all))
          queue = shown.catch(() => undefined)
          start(shown)
        } else start(followChild(client, key, child, printer, all, ended.promise))
      }
    }
    return observe(
      client,
      OrchestrationRunKind,
      runKey,
      (run) => {
        if (run === undefined) throw deletedRun(runKey)
        take(run)
        const outcome = outcomeOf(run as unknown as ShownRun)
        if (outcome !== undefined) for (const end of seen.values()) end()
        return outcome
      },
      signal,
    )
  }
  try {
    const outcome = await follow(key.name, '')
    await settled(tasks)
    // The outcome is reported even if some output could not be read.
    if (failures.length > 0) {
      const { message } = explainFailure(failures[0], options.signal)
      const { style } = printer.stderr
      printer.stderr.write(
        `${style.warn('warning:')} some output of the run cannot be shown: ${message}\n`,
      )
    }
    return outcome
  } finally {
    control.abort()
    await settled(tasks)
  }
}

/** Tasks may add further ones while they are awaited. */
async function settled(tasks: readonly Promise<unknown>[]): Promise<void> {
  for (let count = -1; count !== tasks.length; ) {
    count = tasks.length
    await Promise.all(tasks)
  }
}

async function followChild(
  client: KubeClient,
  { namespace }: ObjectKey,
  child: StepChild,
  printer: Printer,
  options: GraphOutputOptions,
  ended: Promise<void>,
): Promise<void> {
  const run = { namespace, name: child.name }
  const sink = createSink(child, printer, options)
  const output = followOutput(client, run, sink, ofChild(child, run, options))
  const stopped = new Promise<void>((resolve) => {
    options.signal.addEventListener('abort', () => resolve(), { once: true })
    if (options.signal.aborted) resolve()
  })
  try {
    await Promise.race([ended, stopped])
    if (!options.signal.aborted) await output.finish()
  } finally {
    await output.stop()
  }
}

async function showChild(
  client: KubeClient,
  { namespace }: ObjectKey,
  child: StepChild,
  printer: Printer,
  options: GraphOutputOptions,
): Promise<number> {
  const run = { namespace, name: child.name }
  const sink = createSink(child, printer, options)
  return (await showOutput(client, run, sink, ofChild(child, run, options))).printed
}

function ofChild({ kind }: StepChild, run: ObjectKey, { kept, ...rest }: GraphOutputOptions) {
  const of = shownKind(kind)
  return { ...rest, of, ...(kept && of && { kept: () => kept(run, of) }) }
}

/** Labels the output of the agent or tool, and separates what the runner says about it. */
function createSink(child: StepChild, { stdout, stderr }: Printer, options: GraphOutputOptions) {
  const { label, name } = child
  const output = labelledOutput(stdout, label)
  const agent = options.raw ? createCopy(output) : createTranscript(output)
  const note = (line: string): void => {
    if (!options.quiet) stderr.write(`${stderr.style.dim(`${label}  ${line}`)}\n`)
  }
  const splitter = splitOutput(name, {
    agent: agent.write,
    runner: ({ level, message, detail }) => {
      if (level === 'info' || message === 'run finished') return
      note(detail === undefined ? message : `${message}: ${detail}`)
    },
  })
  const copy = { write: agent.write, end: () => Promise.resolve() }
  let split = splitter
  return {
    // Output is kept by the runner.
    open: (pod: Pod | undefined) => {
      split = (pod === undefined || hasRunner(pod)) && !options.raw ? splitter : copy
    },
    begin: (title: string) => note(`-- ${title}`),
    write: (bytes: Uint8Array) => split.write(bytes),
    end: async () => {
      await split.end()
      await agent.end()
      output.end()
    },
  }
}

/** Undefined if it is deleted: the run that created it tells what became of it. */
async function readRun(client: KubeClient, key: ObjectKey, signal: AbortSignal) {
  try {
    return await client.get(OrchestrationRunKind, key, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
