import {
  type KubeClient,
  type ObjectKey,
  type Pod,
  PodKind,
  type RemoteCommand,
} from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import type { Terminal } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import type { ShownKind } from '../run/run-kind.ts'
import { namedRun } from '../run/run-name.ts'
import { belongsTo, byAge, runSelector } from '../run/run-pods.ts'

export const attachCommand = defineCommand({
  about:
    'Opens a shell in the container of the agent, in its working directory and as its user, or runs a command there. The run goes on when you leave.',
  arguments: [
    { name: 'RUN', offers: { namesOf: 'agentruns', also: ['toolruns'] } },
    { name: 'COMMAND', optional: true, rest: true },
  ],
  options: {
    container: {
      type: 'string',
      short: 'c',
      value: 'NAME',
      help: 'Container to enter. Defaults to the first of the pod, which is the agent.',
    },
    ...clusterOptions,
  },
  examples: [
    { does: 'look into a running agent', line: 'agentctl attach first-run' },
    { does: 'show what it has changed', line: 'agentctl attach first-run -- git status' },
  ],
  run: ({ values, positionals: [run, ...words] }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const { of, name } = namedRun(run)
      const pod = await runningPod(client, { namespace, name }, of, context.stop)
      const { isInteractive } = context.terminal
      const command = await client.podExec(pod.metadata, {
        container: values.container ?? pod.spec.containers[0]?.name ?? '',
        command: words.length === 0 ? ['sh'] : words,
        stdin: true,
        tty: isInteractive,
        signal: context.stop,
      })
      return converse(command, context.terminal)
    }),
})

async function runningPod(
  client: KubeClient,
  run: ObjectKey,
  of: ShownKind,
  signal: AbortSignal,
): Promise<Pod> {
  await client.get(of.kind, run, { signal })
  const labelSelector = runSelector(run.name, of)
  const { items } = await client.list(PodKind, { namespace: run.namespace, labelSelector, signal })
  const pod = items
    .filter((one) => belongsTo(one, run.name, of) && one.status?.phase === 'Running')
    .toSorted(byAge)
    .at(-1)
  if (pod !== undefined) return pod
  throw new CommandFailure(`run ${run.name} has no running pod`, {
    advice: [`Show its state with 'agentctl explain ${run.name}'.`],
  })
}

/** Connects the command to the terminal until it ends. Its exit code is that of the program. */
async function converse(command: RemoteCommand, terminal: Terminal): Promise<number> {
  const restore = terminal.isInteractive ? terminal.makeRaw() : () => undefined
  const stopResizing = terminal.isInteractive
    ? terminal.onResize((size) => command.resize(size))
    : () => undefined
  terminal.stdin.pipe(command.stdin)
  command.stdout.pipe(terminal.stdout, { end: false })
  command.stderr.pipe(terminal.stderr, { end: false })
  try {
    const { isSuccess, exitCode: code, message } = await command.ended
    if (isSuccess) return exitCode.done
    if (code !== undefined) return code
    throw new CommandFailure(message)
  } finally {
    stopResizing()
    restore()
    terminal.stdin.unpipe()
    terminal.stdin.pause()
  }
}
