import type { KubeClient, ObjectKey } from '@agents/kube'
import { actOnEach } from '../cli/act-on-each.ts'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { parseDuration } from '../cli/duration.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { observe } from '../cluster/observe.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { OrchestrationRunKind } from '../graph/compose-orchestration-run.ts'
import { orchestrationRunName } from '../graph/orchestration-run-name.ts'
import { deletedRun } from '../run/follow-run.ts'
import type { ShownKind } from '../run/run-kind.ts'
import { namedRun } from '../run/run-name.ts'
import { outcomeOf } from '../run/run-outcome.ts'

export const cancelCommand = defineCommand({
  about: 'This cannot be undone. The command returns when the run has ended.',
  arguments: [
    {
      name: 'RUN',
      rest: true,
      offers: { namesOf: 'agentruns', also: ['toolruns', 'orchestrationruns'] },
    },
  ],
  options: {
    'no-wait': { type: 'boolean', help: 'Request the cancellation and return at once.' },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'How long to wait for the run to end. Defaults to 60s.',
    },
    quiet: { type: 'boolean', short: 'q', help: 'Print nothing on success.' },
    ...clusterOptions,
  },
  examples: [
    { does: 'cancel a run', line: 'agentctl cancel first-run' },
    { does: 'stop a graph with all its steps', line: 'agentctl cancel orchestrationrun/nightly-1' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const printLine = (line: string): void => {
        if (!values.quiet) context.stdout.write(`${line}\n`)
      }
      const waitMs = parseDuration('--timeout', values.timeout ?? '60s')
      const stop = (given: string): Promise<string> =>
        cancelRun(client, cancelledRun(given), namespace, context, waitMs, !values['no-wait'])
      return await actOnEach(positionals, context, async (given) => printLine(await stop(given)))
    }),
})

interface CancelledRun {
  readonly of: Pick<ShownKind, 'kind' | 'word'>
  readonly name: string
}

/** A run of any kind; that of an Orchestration is `orchestrationrun/NAME`. */
function cancelledRun(given: string): CancelledRun {
  const name = orchestrationRunName(given)
  if (name === undefined) return namedRun(given)
  const kind = OrchestrationRunKind as unknown as ShownKind['kind']
  return { of: { kind, word: 'orchestrationrun' }, name }
}

/** Resolves to a line about the result. */
async function cancelRun(
  client: KubeClient,
  { of, name }: CancelledRun,
  namespace: string,
  context: CommandContext,
  waitMs: number,
  isAwaited: boolean,
): Promise<string> {
  const key: ObjectKey = { namespace, name }
  const before = outcomeOf(await client.get(of.kind, key, { signal: context.stop }))
  if (before !== undefined) return `${key.name} has already ended: ${before.phase}`
  const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
  await client.patch(of.kind, key, patch, { signal: context.stop })
  if (!isAwaited) return `${key.name} is being cancelled`
  const waits = {
    what: `run ${key.name} to end`,
    advice: [`agentctl explain ${of.word} ${key.name} shows what it is waiting for.`],
  }
  const outcome = await stoppable(context, waitMs, waits, (signal) =>
    observe(
      client,
      of.kind,
      key,
      (run) => {
        if (run === undefined) throw deletedRun(key)
        return outcomeOf(run)
      },
      signal,
    ),
  )
  return `${key.name} ${outcome.phase === 'Cancelled' ? 'cancelled' : `ended before it was cancelled: ${outcome.phase}`}`
}
