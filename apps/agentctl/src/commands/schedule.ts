import type { Schedule } from '@agents/jangar-api'
import { type KubeClient, kindRef, type ObjectKey } from '@agents/kube'
import { actOnEach } from '../cli/act-on-each.ts'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { nearestWord } from '../cli/nearest-word.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { objectName } from '../cluster/show-objects.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { followRun } from '../run/follow-run.ts'
import { AgentRunKind } from '../run/run-kind.ts'
import { rawOption } from '../transcript/raw-option.ts'

const ScheduleKind = kindRef<Schedule>(platformKind('Schedule'))
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
    quiet: { type: 'boolean', short: 'q', help: 'Print only the output of the agent.' },
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
  const wanted = await runOf(client, key, context.stop)
  const run = await client.create(AgentRunKind, wanted, { signal: context.stop })
  if (noWait) {
    context.stdout.write(`${objectName(run)}\n`)
    return exitCode.done
  }
  if (!quiet) context.stderr.write(`${objectName(run)} created\n`)
  const leave = {
    what: `run ${run.metadata.name}`,
    advice: [`The run continues. To cancel it: agentctl cancel ${run.metadata.name}`],
  }
  const { code } = await stoppable(context, undefined, leave, (signal) =>
    followRun(client, run.metadata, context, { quiet, raw, signal }),
  )
  return code
}

async function runOf(client: KubeClient, key: ObjectKey, signal: AbortSignal) {
  const { copiedSpec, manualRun } = await import('@agents/jangar')
  const schedule = await client.get(ScheduleKind, key, { signal })
  const { template, targetRef } = schedule.spec
  const kind = template?.kind ?? targetRef?.kind
  if (kind !== 'AgentRun') {
    throw usageFailure(`Schedule ${key.name} starts a ${kind}, and only AgentRuns can be triggered`)
  }
  if (template !== undefined) return manualRun(schedule, template as never)
  const target = { ...key, name: targetRef?.name ?? '' }
  const spec = copiedSpec(await client.get(AgentRunKind, target, { signal }))
  return manualRun(schedule, { spec })
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
