import { NamespaceKind } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import type { CommandGroup } from '../cli/help.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { findKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { completions } from './completions.ts'

/** How long a user at a prompt is willing to wait. */
const requestTimeout = '1500ms'

/**
 * Prints the completions for the shell scripts, one per line. None are printed for names if the cluster does not
 * answer in time.
 */
export async function completeCommand(
  typed: readonly string[],
  groups: readonly CommandGroup[],
  context: CommandContext,
): Promise<number> {
  const commands = groups.flatMap((group) => group.commands)
  const name = 'AGENTCTL_COMPLETION_TIMEOUT'
  const waitMs = parseDuration(name, context.environment[name] || requestTimeout)
  const signal = AbortSignal.any([context.stop, AbortSignal.timeout(waitMs)])
  const objectNames = async (word: string, before: readonly string[]) => {
    const names = namesOf(word, before, context, signal)
    return Promise.race([names.catch(() => []), nothingAfter(signal)])
  }
  const words = await completions(typed, commands, objectNames, clusterOptions)
  context.stdout.write(words.map((word) => `${word}\n`).join(''))
  // A pending request, such as that of a credential plugin, must not delay the prompt.
  if (signal.aborted) return context.exit(exitCode.done)
  return exitCode.done
}

async function namesOf(
  word: string,
  before: readonly string[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // A warning would garble the command line that is being typed.
  const quiet = {
    ...context,
    stderr: { ...context.stderr, write: () => undefined, writeDocument: () => undefined },
  }
  return withCluster(clusterFlags(before), quiet, async ({ client, namespace }) => {
    const kind = word === 'namespaces' ? NamespaceKind : await findKind(word, client, { signal })
    const { items } = await client.list(kind, {
      ...(kind.namespaced && { namespace }),
      limit: 200,
      retries: 0,
      signal,
    })
    return items.map(({ metadata }) => metadata.name)
  })
}

function nothingAfter(signal: AbortSignal): Promise<readonly string[]> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve([])
    signal.addEventListener('abort', () => resolve([]), { once: true })
  })
}

function clusterFlags(before: readonly string[]) {
  const given = (...flags: readonly string[]): string | undefined => {
    const index = before.findIndex((word) => flags.includes(word))
    const joined = before.find((word) => flags.some((flag) => word.startsWith(`${flag}=`)))
    return index === -1 ? joined?.slice(joined.indexOf('=') + 1) : before[index + 1]
  }
  return {
    namespace: given('-n', '--namespace'),
    kubeconfig: given('--kubeconfig'),
    context: given('--context'),
    'state-dir': given('--state-dir'),
  }
}
