import { RunFailure } from '../../run-contract/run-failure.ts'
import type { Git } from './git.ts'

/** What the remote has of the few refs that matter here. */
export interface RemoteRefs {
  readonly defaultBranch?: string
  /** Commit or tag object by full name. */
  readonly refs: ReadonlyMap<string, string>
}

/** Asks for these refs alone: a large remote has hundreds of thousands. */
export async function listRemoteRefs(
  git: Git,
  url: string,
  names: readonly string[],
): Promise<RemoteRefs> {
  const result = await git.talk(url, ['ls-remote', '--symref', '--', url, 'HEAD', ...names])
  if (result.code !== 0) {
    throw new RunFailure('CheckoutFailed', `cannot reach ${url}: ${result.errorText}`)
  }
  const lines = result.stdout.split('\n').map((line) => line.split('\t'))
  const symref = lines.find(([left = '', name]) => left.startsWith('ref: ') && name === 'HEAD')?.[0]
  const refs = new Map(
    lines.flatMap(([left = '', name]) =>
      name === undefined || left.startsWith('ref: ') ? [] : [[name, left] as const],
    ),
  )
  return { ...(symref && { defaultBranch: symref.slice('ref: refs/heads/'.length) }), refs }
}
