import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { showOutput } from '../run/follow-output.ts'
import { followRun } from '../run/follow-run.ts'
import { missingOutput } from '../run/missing-output.ts'
import { AgentRunKind } from '../run/run-kind.ts'
import { runNameOf } from '../run/run-name.ts'

export const logsCommand = defineCommand({
  name: 'logs',
  summary: 'Show what a run’s agent has said, over all attempts and steps',
  arguments: [{ name: 'RUN', offers: { namesOf: 'agentruns' } }],
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      help: 'Go on until the run has ended. The exit code is then the outcome, as with run.',
    },
    tail: { type: 'string', value: 'LINES', help: 'Only the last lines of each attempt.' },
    timestamps: { type: 'boolean', help: 'The time in front of each line.' },
    container: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      help: 'Of this container; else of the first.',
    },
    quiet: { type: 'boolean', short: 'q', help: 'No progress on the error output.' },
    ...clusterOptions,
  },
  examples: [{ does: 'follow a run to its end', line: 'agentctl logs -f first-run' }],
  run: ({ values, positionals }, world) =>
    withCluster(values, world, async ({ client, namespace }) => {
      const key = { namespace, name: runNameOf(positionals[0]) }
      const options = {
        tailLines: countOf(values.tail),
        timestamps: values.timestamps || undefined,
        container: values.container,
      }
      const run = await client.get(AgentRunKind, key, { signal: world.stop })
      if (values.follow) {
        const leave = { what: `the run ${key.name}`, advice: [] }
        const { code } = await stoppable(world, undefined, leave, (signal) =>
          followRun(client, key, world, { ...options, quiet: values.quiet, signal }),
        )
        return code
      }
      const { stdout, stderr } = world
      const sink = {
        begin: (title: string) => {
          if (!values.quiet) stderr.write(`${stderr.style.dim(`-- ${title}`)}\n`)
        },
        write: (bytes: Uint8Array) => stdout.pour(bytes),
      }
      const output = await showOutput(client, key, sink, { ...options, signal: world.stop })
      const notice = missingOutput(run, output)
      if (notice !== undefined && !values.quiet) stderr.write(`${notice}\n`)
      return exitCode.done
    }),
})

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw usageFailure(`--tail must be a number of lines, not ${JSON.stringify(text)}`)
}
