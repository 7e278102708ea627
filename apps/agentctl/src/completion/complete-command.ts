import { exitCode } from '../cli/exit-code.ts'
import type { CommandGroup } from '../cli/help.ts'
import type { World } from '../cli/world.ts'
import { findKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { offeredWords } from './offered-words.ts'

const patienceMs = 1500

/** What the scripts ask: the words that fit, one a line. A cluster that does not answer offers nothing. */
export async function completeCommand(
  typed: readonly string[],
  groups: readonly CommandGroup[],
  world: World,
): Promise<number> {
  const commands = groups.flatMap((group) => group.commands)
  const words = await offeredWords(typed, commands, async (word, before) => {
    try {
      return await withCluster(clusterFlags(before), world, async ({ client, namespace }) => {
        const kind = await findKind(word, client)
        const { items } = await client.list(kind, {
          ...(kind.namespaced && { namespace }),
          limit: 200,
          retries: 0,
          signal: AbortSignal.any([world.stop, AbortSignal.timeout(patienceMs)]),
        })
        return items.map(({ metadata }) => metadata.name)
      })
    } catch {
      return []
    }
  })
  world.stdout.write(words.map((word) => `${word}\n`).join(''))
  return exitCode.done
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
