import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { remoteUrl } from '../../run-contract/repository/clone-url.ts'
import { checkoutRecordFile } from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { describeCheckout } from '../vcs/describe-checkout.ts'
import { fetchRepository } from '../vcs/fetch-repository.ts'
import { createGit } from '../vcs/git.ts'
import { createWorkTree } from '../vcs/work-tree.ts'
import { type PublisherParts, runPublisherProgram } from './publisher-process.ts'
import type { Finished, PublisherContext } from './reported-program.ts'

/** `agent-checkout`: fetches the repository with the credential, for the agent's container and for `publish`. */
export function runCheckout(context: PublisherContext): Promise<number> {
  return runPublisherProgram('checkout', context, checkOut)
}

/** `agent-checkout work-tree`: makes the work tree for a program that runs without agent-runner. Has no credential. */
export function runWorkTree(context: PublisherContext): Promise<number> {
  return runPublisherProgram('work-tree', context, async ({ config, mask }) => {
    const folder = join(config.workspace, 'repo')
    const git = createGit({
      folder,
      env: context.env,
      credentials: { kind: 'none' },
      mask,
      stop: context.stop,
      timeoutMs: 0,
    })
    const tree = await createWorkTree(git, folder, config.repositoryFolder)
    return { message: `the work tree was created in ${folder}`, vcs: describeCheckout(tree) }
  })
}

async function checkOut({ config, plan, git, gitFolder, log }: PublisherParts): Promise<Finished> {
  const url = remoteUrl(plan.vcs)
  const recordPath = join(config.repositoryFolder, checkoutRecordFile)
  // What a restarted container finds is incomplete.
  await rm(recordPath, { force: true })
  await rm(gitFolder, { recursive: true, force: true })
  await mkdir(gitFolder, { recursive: true })
  const made = await git.run(['init', '--quiet', '--bare', '--initial-branch=main'])
  if (made.code !== 0) {
    throw new RunFailure('CheckoutFailed', `git cannot prepare the repository: ${made.errorText}`)
  }
  const record = await fetchRepository(git, url, plan)
  await writeFile(`${recordPath}.new`, JSON.stringify(record), { mode: 0o644 })
  await rename(`${recordPath}.new`, recordPath)
  log.info('repository fetched', { url, startCommit: record.startCommit, head: record.head?.name })
  return { message: 'the repository was fetched', vcs: describeCheckout(record) }
}
