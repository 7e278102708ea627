import { defineCommand } from '../cli/command.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
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
  arguments: [{ name: 'RUN', rest: true, offers: 'run' }],
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
      for (const given of positionals) {
        const key = { namespace, name: runNameOf(given) }
        const before = outcomeOf(await client.get(AgentRunKind, key, { signal: world.stop }))
        if (before !== undefined) {
          say(`${key.name} had ended already: ${before.phase}`)
          continue
        }
        const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
        await client.patch(AgentRunKind, key, patch, { signal: world.stop })
        if (values['no-wait']) {
          say(`${key.name} is being cancelled`)
          continue
        }
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
        say(
          `${key.name} ${outcome.phase === 'Cancelled' ? 'cancelled' : `had ended: ${outcome.phase}`}`,
        )
      }
      return exitCode.done
    }),
})
