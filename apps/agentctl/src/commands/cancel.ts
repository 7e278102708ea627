import type { KubeClient, ObjectKey } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import { explainFailure } from '../cli/explain-failure.ts'
import type { World } from '../cli/world.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { observe } from '../cluster/observe.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { vanished } from '../run/follow-run.ts'
import { AgentRunKind } from '../run/run-kind.ts'
import { runNameOf } from '../run/run-name.ts'
import { outcomeOf } from '../run/run-outcome.ts'

export const cancelCommand = defineCommand({
  name: 'cancel',
  summary: 'Stop a run and its work',
  about: 'It cannot be taken back. The command returns when the run has ended.',
  arguments: [{ name: 'RUN', rest: true, offers: { namesOf: 'agentruns' } }],
  options: {
    'no-wait': { type: 'boolean', help: 'Only ask for it.' },
    timeout: { type: 'string', value: 'TIME', help: 'How long to wait for the end; else 60s.' },
    quiet: { type: 'boolean', short: 'q', help: 'Say nothing.' },
    ...clusterOptions,
  },
  examples: [{ does: 'stop a run', line: 'agentctl cancel first-run' }],
  run: ({ values, positionals }, world) =>
    withCluster(values, world, async ({ client, namespace }) => {
      const say = (line: string): void => {
        if (!values.quiet) world.stdout.write(`${line}\n`)
      }
      const waitMs = parseDuration('--timeout', values.timeout ?? '60s')
      const stop = (given: string): Promise<string> =>
        cancelRun(client, { namespace, name: runNameOf(given) }, world, waitMs, !values['no-wait'])
      let code: number = exitCode.done
      for (const given of positionals) {
        try {
          say(await stop(given))
        } catch (error) {
          // One that is not there keeps none of the others going.
          if (positionals.length === 1 || world.stop.aborted) throw error
          const failure = explainFailure(error, world.stop)
          world.stderr.write(`${world.stderr.style.bad('error:')} ${failure.message}\n`)
          code = failure.code
        }
      }
      return code
    }),
})

/** Resolves to a line about what became of it. */
async function cancelRun(
  client: KubeClient,
  key: ObjectKey,
  world: World,
  waitMs: number,
  isAwaited: boolean,
): Promise<string> {
  const before = outcomeOf(await client.get(AgentRunKind, key, { signal: world.stop }))
  if (before !== undefined) return `${key.name} had ended already: ${before.phase}`
  const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
  await client.patch(AgentRunKind, key, patch, { signal: world.stop })
  if (!isAwaited) return `${key.name} is being cancelled`
  const waits = {
    what: `the end of ${key.name}`,
    advice: [`agentctl explain run ${key.name} says what keeps it.`],
  }
  const outcome = await stoppable(world, waitMs, waits, (signal) =>
    observe(
      client,
      AgentRunKind,
      key,
      (run) => {
        if (run === undefined) throw vanished(key)
        return outcomeOf(run)
      },
      signal,
    ),
  )
  return `${key.name} ${outcome.phase === 'Cancelled' ? 'cancelled' : `had ended: ${outcome.phase}`}`
}
