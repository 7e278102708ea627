import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckoutRecord } from '../../run-contract/repository-plan.ts'
import type { Git } from '../vcs/git.ts'

/** In bytes; larger bundles would drown the log. */
const largestLoggedBytes = 256 * 1024

const incomingRef = 'refs/agents/incoming'

interface KeepOptions {
  readonly git: Git
  readonly folder: string
  readonly checkout: CheckoutRecord
  readonly commit: string
  write(text: string): Promise<void>
}

/** Writes work that could not be pushed to the log, as text that restores it. False if it is too large for that. */
export async function logBundle(options: KeepOptions): Promise<boolean> {
  const { git, folder, checkout, commit, write } = options
  const path = join(folder, 'unpublished.bundle')
  const known = [checkout.startCommit, checkout.baseCommit].filter((one) => one !== undefined)
  await git.run(['update-ref', incomingRef, commit])
  const made = await git.run([
    'bundle',
    'create',
    path,
    incomingRef,
    ...known.map((one) => `^${one}`),
  ])
  const size = made.code === 0 ? (await stat(path)).size : Number.POSITIVE_INFINITY
  if (size > largestLoggedBytes) return false
  const text = (await readFile(path)).toString('base64')
  await rm(path, { force: true })
  const lines = text.match(/.{1,120}/g) ?? []
  await write(
    [
      'The work could not be pushed. To restore it, run in a clone of the repository:',
      `  base64 -d > work.bundle   # paste the lines between the marks, then Ctrl-D`,
      `  git fetch ./work.bundle ${incomingRef}:refs/heads/restored`,
      '-----BEGIN GIT BUNDLE-----',
      ...lines,
      '-----END GIT BUNDLE-----',
      '',
    ].join('\n'),
  )
  return true
}
