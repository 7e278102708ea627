import type { KubeClient, ObjectKey } from '@agents/kube'
import { keptOutputs } from '../artifacts/kept-output.ts'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { followGraphOutput, showGraphOutput } from '../graph/graph-output.ts'
import { orchestrationRunName } from '../graph/orchestration-run-name.ts'
import { followRun } from '../run/follow-run.ts'
import { missingOutput } from '../run/missing-output.ts'
import type { ShownKind } from '../run/run-kind.ts'
import { namedRun } from '../run/run-name.ts'
import { showOutput } from '../run/run-output.ts'
import { serverOptions } from '../server-api/server-options.ts'
import { rawOption } from '../transcript/raw-option.ts'
import { createCopy, createTranscript } from '../transcript/transcript.ts'

export const logsCommand = defineCommand({
  about:
    'The output of an OrchestrationRun is that of all its steps: each line begins with the name of its step.',
  arguments: [
    {
      name: 'RUN',
      offers: { namesOf: 'agentruns', also: ['toolruns', 'orchestrationruns'] },
    },
  ],
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      help: 'Follow the output until the run has ended. The exit code is the outcome, as with run.',
    },
    tail: {
      type: 'string',
      value: 'LINES',
      help: 'Show only this number of last lines of each attempt.',
    },
    timestamps: { type: 'boolean', help: 'Show the time of each line. Implies --raw.' },
    raw: rawOption,
    container: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      help: 'Container to read. Defaults to the first.',
    },
    quiet: { type: 'boolean', short: 'q', help: 'Do not print progress on standard error.' },
    ...serverOptions,
    ...clusterOptions,
  },
  examples: [
    { does: 'follow a run to its end', line: 'agentctl logs -f first-run' },
    { does: 'follow all steps of a graph', line: 'agentctl logs -f orchestrationrun/nightly-1' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace, connection }) => {
      const tailLines = countOf(values.tail)
      const timestamps = values.timestamps || undefined
      const raw = values.raw === true || values.timestamps === true
      const graph = orchestrationRunName(positionals[0])
      if (graph !== undefined) {
        if (values.container !== undefined) {
          throw usageFailure('--container cannot be used with an OrchestrationRun')
        }
        const steps = {
          ...{ tailLines, timestamps, raw, quiet: values.quiet },
          // Output is kept without times.
          ...(timestamps === undefined && {
            kept: (run: ObjectKey, of: ShownKind) =>
              keptOutputs({ client, connection, values, context }, run, of),
          }),
        }
        return await graphLogs(client, { namespace, name: graph }, context, steps, values.follow)
      }
      const { of, name } = namedRun(positionals[0])
      const key = { namespace, name }
      const { container } = values
      const options = { of, tailLines, timestamps, container }
      const run = await client.get(of.kind, key, { signal: context.stop })
      // Only the output of the first container is kept, and without times.
      const isKept = container === undefined && timestamps === undefined
      const kept = isKept && {
        kept: () => keptOutputs({ client, connection, values, context }, key, of),
      }
      if (values.follow) {
        const leave = { what: `run ${key.name}`, advice: [] }
        const { quiet } = values
        const { code } = await stoppable(context, undefined, leave, (signal) =>
          followRun(client, key, context, { ...options, raw, quiet, signal, ...kept }),
        )
        return code
      }
      const { stdout, stderr } = context
      const sink = {
        begin: (title: string) => {
          if (!values.quiet) stderr.write(`${stderr.style.dim(`-- ${title}`)}\n`)
        },
        ...(raw ? createCopy(stdout) : createTranscript(stdout)),
      }
      const output = await showOutput(client, key, sink, {
        ...{ ...options, signal: context.stop },
        ...kept,
      })
      const notice = missingOutput(run, output, of)
      if (notice !== undefined && !values.quiet) stderr.write(`${notice}\n`)
      return exitCode.done
    }),
})

async function graphLogs(
  client: KubeClient,
  key: ObjectKey,
  context: CommandContext,
  options: Omit<Parameters<typeof showGraphOutput>[3], 'signal'>,
  isFollowed: boolean,
): Promise<number> {
  const { stdout, stderr } = context
  if (isFollowed) {
    const leave = { what: `run ${key.name}`, advice: [] }
    const { phase, code, message } = await stoppable(context, undefined, leave, (signal) =>
      followGraphOutput(client, key, { stdout, stderr }, { ...options, signal }),
    )
    if (!options.quiet) {
      stderr.write(`${key.name}  ${phase}${phase === 'Succeeded' ? '' : `  ${message}`}\n`)
    }
    return code
  }
  const all = { ...options, signal: context.stop }
  const printed = await showGraphOutput(client, key, { stdout, stderr }, all)
  if (printed === 0 && !options.quiet) {
    stderr.write(
      `No step of ${key.name} has output. For details: agentctl explain orchestrationrun ${key.name}\n`,
    )
  }
  return exitCode.done
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw usageFailure(`--tail must be a number of lines, not ${JSON.stringify(text)}`)
}
