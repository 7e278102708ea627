import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isGitError } from '@agents/git'
import { compareTarget, type TargetComparison } from '@agents/gittarget'
import type { GitTarget } from '@agents/gittarget-api'
import { type KubeClient, KubeError } from '@agents/kube'
import { silentLogger } from '@agents/log'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { lineDiff } from './line-diff.ts'

/** Compares the folder of a target with the cluster, without writing anything. */
export async function differencesOf(
  target: GitTarget,
  client: KubeClient,
  { stop, environment }: Pick<CommandContext, 'stop' | 'environment'>,
): Promise<TargetComparison> {
  const folder = await mkdtemp(join(tmpdir(), 'agentctl-diff-'))
  try {
    return await compareTarget(target, {
      client,
      log: silentLogger,
      directory: join(folder, 'repository'),
      path: environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      signal: stop,
    })
  } catch (cause) {
    if (cause instanceof KubeError || !(cause instanceof Error) || stop.aborted) throw cause
    const advice = isGitError(cause)
      ? ['The comparison uses the URL and the Secret of the GitProvider from this machine.']
      : []
    const message = `the mirror cannot be compared: ${cause.message}`
    throw new CommandFailure(message, { advice, cause, code: exitCode.cluster })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** As text: `-` marks what Git has, `+` what the cluster has. */
export function renderDifferences({ differences }: TargetComparison): string {
  return differences
    .map(({ path, kind, inGit = '', inCluster = '' }) =>
      [`${path}: ${kind}`, ...lineDiff(inGit, inCluster)].join('\n'),
    )
    .map((text) => `${text}\n`)
    .join('\n')
}
