import type { Schedule } from '@agents/jangar-api'
import {
  type KindRef,
  type KubeClient,
  type KubeObject,
  kindRef,
  type ObjectKey,
} from '@agents/kube'
import { actOnEach } from '../cli/act-on-each.ts'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { nearestWord } from '../cli/nearest-word.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { objectName } from '../cluster/show-objects.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { OrchestrationRunKind } from '../graph/compose-orchestration-run.ts'
import { followSteps } from '../graph/follow-steps.ts'
import { followRun } from '../run/follow-run.ts'
import { AgentRunKind, agentRuns, shownKind, ToolRunKind } from '../run/run-kind.ts'
import { rawOption } from '../transcript/raw-option.ts'

const ScheduleKind = kindRef<Schedule>(platformKind('Schedule'))
/** What a Schedule can start. */
const runKinds = [AgentRunKind, ToolRunKind, OrchestrationRunKind] as unknown as KindRef[]
const subcommands = ['trigger', 'suspend', 'resume']

export const scheduleCommand = defineCommand({
  about:
    'trigger starts the run of a schedule at once, as the user of this command, and follows it; it counts as a run of the schedule. suspend keeps a schedule from starting runs, and resume lets it start them again; what was due meanwhile is not started.',
  arguments: [
    { name: 'trigger|suspend|resume', offers: subcommands },
    { name: 'SCHEDULE', rest: true, offers: { namesOf: 'schedules' } },
  ],
  options: {
    'no-wait': {
      type: 'boolean',
      help: 'With trigger: create the run, print its name and return.',
    },
    quiet: {
      type: 'boolean',
      short: 'q',
      help: 'Print only the output of the agent or the tool; for an OrchestrationRun, only the changes of steps.',
    },
    raw: rawOption,
    ...clusterOptions,
  },
  examples: [
    { does: 'start the run of a schedule now', line: 'agentctl schedule trigger nightly' },
    { does: 'start no runs for a while', line: 'agentctl schedule suspend nightly' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', ...names] = positionals
      if (!subcommands.includes(word)) throw unknownSubcommand(word)
      const [first, ...others] = names
      if (first === undefined) {
        throw usageFailure(`the name of a Schedule is missing: agentctl schedule ${word} NAME`)
      }
      if (word === 'trigger') {
        if (others.length > 0) throw usageFailure('trigger takes one Schedule')
        return await trigger(client, { namespace, name: first }, values, context)
      }
      return await actOnEach(names, context, async (name) => {
        const line = await setSuspended(client, { namespace, name }, word === 'suspend', context)
        if (!values.quiet) context.stdout.write(`${line}\n`)
      })
    }),
})

function unknownSubcommand(word: string) {
  const near = nearestWord(word, subcommands)
  const advice = near === undefined ? [] : [`Did you mean ${near}?`]
  return usageFailure(
    `unknown subcommand ${JSON.stringify(word)}: use agentctl schedule trigger, suspend or resume`,
    ...advice,
  )
}

async function trigger(
  client: KubeClient,
  key: ObjectKey,
  { 'no-wait': noWait, quiet, raw }: Record<'no-wait' | 'quiet' | 'raw', boolean>,
  context: CommandContext,
): Promise<number> {
  const { kind, wanted } = await runOf(client, key, context.stop)
  const run = await client.create(kind, wanted as never, { signal: context.stop })
  if (noWait) {
    context.stdout.write(`${objectName(run)}\n`)
    return exitCode.done
  }
  if (!quiet) context.stderr.write(`${objectName(run)} created\n`)
  if (kind.kind === OrchestrationRunKind.kind) {
    return await followSteps(client, run.metadata, context, { waitMs: undefined, quiet })
  }
  const of = shownKind(kind.kind) ?? agentRuns
  const leave = {
    what: `run ${run.metadata.name}`,
    advice: [`The run continues. To cancel it: agentctl cancel ${of.argument(run.metadata.name)}`],
  }
  const { code } = await stoppable(context, undefined, leave, (signal) =>
    followRun(client, run.metadata, context, { of, quiet, raw, signal }),
  )
  return code
}

/** The run that the Schedule starts, and its kind. */
async function runOf(
  client: KubeClient,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<{ readonly kind: KindRef; readonly wanted: object }> {
  const { copiedSpec, manualRun, targetProblem } = await import('@agents/jangar')
  const schedule = await client.get(ScheduleKind, key, { signal })
  const { template, targetRef } = schedule.spec
  const name = template?.kind ?? targetRef?.kind
  const kind = runKinds.find((one) => one.kind === name)
  if (kind === undefined) throw usageFailure(`Schedule ${key.name} starts no kind of runs: ${name}`)
  if (template !== undefined) return { kind, wanted: manualRun(schedule, template as never) }
  const target = { ...key, name: targetRef?.name ?? '' }
  const found: KubeObject = await client.get(kind, target, { signal })
  const problem = targetProblem(schedule, found)
  if (problem !== undefined) throw new CommandFailure(problem)
  return { kind, wanted: manualRun(schedule, { spec: copiedSpec(found as never) }) }
}

/** Resolves to a line about the result. */
async function setSuspended(
  client: KubeClient,
  key: ObjectKey,
  isSuspended: boolean,
  { stop: signal }: CommandContext,
): Promise<string> {
  const { spec } = await client.get(ScheduleKind, key, { signal })
  const state = isSuspended ? 'suspended' : 'active'
  if ((spec.suspend ?? false) === isSuspended) return `${key.name} is already ${state}`
  const body = { spec: { suspend: isSuspended } }
  await client.patch(ScheduleKind, key, { type: 'merge', body }, { signal })
  return `${key.name} is ${state}`
}
