import { lstat, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type CheckoutRecord,
  checkoutRecordFile,
  gitFolderName,
  parseCheckoutRecord,
} from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { branchRef, commitId } from './branch-names.ts'
import { startRef } from './fetch-repository.ts'
import type { Git } from './git.ts'

/** A work tree, ready for the agent. */
export interface WorkTree extends CheckoutRecord {
  readonly folder: string
}

/** Reads the record that `checkout` wrote. */
export async function readCheckoutRecord(repositoryFolder: string): Promise<CheckoutRecord> {
  const path = join(repositoryFolder, checkoutRecordFile)
  const document = await readFile(path, 'utf8').catch(() => '')
  const read = parseCheckoutRecord(document)
  if (read.ok) return read.value
  throw new RunFailure('CheckoutFailed', `the checkout container left no valid record at ${path}`)
}

/**
 * Creates the agent's work tree from the fetched repository, without a credential. A `.git` of an earlier attempt is
 * removed without reading it, since the earlier agent may have changed its configuration.
 */
export async function createWorkTree(
  git: Git,
  folder: string,
  repositoryFolder: string,
): Promise<WorkTree> {
  const record = await readCheckoutRecord(repositoryFolder)
  const found = await lstat(folder).catch(() => undefined)
  if (found !== undefined && !found.isDirectory()) await rm(folder, { force: true })
  await mkdir(folder, { recursive: true })
  await rm(join(folder, '.git'), { recursive: true, force: true })
  await mustRun(git, ['init', '--quiet', '--initial-branch=main'], 'initialize the work tree')
  await mustRun(git, ['remote', 'add', 'origin', record.url], 'initialize the work tree')
  const { head, baseBranch, startCommit } = record
  const branch = head?.name ?? baseBranch ?? 'main'
  if (startCommit === undefined) {
    await mustRun(git, ['symbolic-ref', 'HEAD', branchRef(branch)], 'create the branch')
    return { ...record, folder }
  }
  await fetchFrom(git, join(repositoryFolder, gitFolderName))
  const name = commitId.test(branch) ? ['--detach'] : ['-B', branch]
  await mustRun(
    git,
    ['checkout', '--quiet', '--force', ...name, startCommit, '--'],
    'check out the start commit',
  )
  // Files of an earlier attempt would otherwise become part of this attempt's commit.
  await mustRun(git, ['clean', '--quiet', '-ffd'], 'remove files of an earlier attempt')
  return { ...record, folder }
}

async function fetchFrom(git: Git, gitFolder: string): Promise<void> {
  // The repository belongs to another user, which git refuses by default; its upload-pack needs the setting in its own
  // command.
  const uploadPack = '--upload-pack=git -c safe.directory=* upload-pack'
  const url = pathToFileURL(gitFolder).href
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head']
  const refspecs = ['+refs/remotes/origin/*:refs/remotes/origin/*', startRef]
  await mustRun(
    git,
    ['fetch', uploadPack, ...options, '--', url, ...refspecs],
    'copy the fetched repository',
  )
}

async function mustRun(git: Git, args: readonly string[], what: string): Promise<void> {
  const result = await git.run(args)
  if (result.code === 0) return
  throw new RunFailure('CheckoutFailed', `git cannot ${what}: ${result.errorText}`)
}
