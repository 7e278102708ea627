import { NamespaceKind } from '@agents/kube'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import type { CommandGroup } from '../cli/help.ts'
import type { World } from '../cli/world.ts'
import { findKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { offeredWords } from './offered-words.ts'

/** As long as a person at a prompt waits. */
const patience = '1500ms'

/** What the scripts ask: the words that fit, one a line. A cluster that does not answer in time offers nothing. */
export async function completeCommand(
  typed: readonly string[],
  groups: readonly CommandGroup[],
  world: World,
): Promise<number> {
  const commands = groups.flatMap((group) => group.commands)
  const name = 'AGENTCTL_COMPLETION_TIMEOUT'
  const waitMs = parseDuration(name, world.environment[name] || patience)
  const signal = AbortSignal.any([world.stop, AbortSignal.timeout(waitMs)])
  const words = await offeredWords(typed, commands, async (word, before) => {
    const names = namesOf(word, before, world, signal)
    return Promise.race([names.catch(() => []), nothingAfter(signal)])
  })
  world.stdout.write(words.map((word) => `${word}\n`).join(''))
  // Whoever still waits for the cluster, such as a program that fetches credentials, must not keep the prompt.
  if (signal.aborted) return world.exit(exitCode.done)
  return exitCode.done
}

async function namesOf(
  word: string,
  before: readonly string[],
  world: World,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // Nobody reads a warning in the midst of a line.
  const quiet = { ...world, stderr: { ...world.stderr, write: () => undefined } }
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
