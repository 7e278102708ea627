import { createServer, type Socket } from 'node:net'
import type { Reason } from '../../run-contract/outcome.ts'
import type { CheckoutRecord } from '../../run-contract/repository-plan.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { createStop, type Stop } from '../process/stop.ts'
import { FrameReader, frame, ProtocolError, type Reply } from '../submission/protocol.ts'
import { commitId } from '../vcs/branch-names.ts'
import { describeCheckout } from '../vcs/describe-checkout.ts'
import { type ScanVerdict, scanNewObjects } from '../vcs/secret-scan.ts'
import { readCheckoutRecord } from '../vcs/work-tree.ts'
import { checkPushPolicy } from './check-push-policy.ts'
import { diffSize } from './diff-size.ts'
import { listen } from './listen.ts'
import { logBundle } from './log-bundle.ts'
import { type PublisherParts, runPublisherProgram } from './publisher-process.ts'
import { pushWork } from './push-work.ts'
import { largestPackBytes, receivePack } from './receive-pack.ts'
import { type Finished, type PublisherContext, PublishFailure } from './reported-program.ts'

/** `agent-publish`: waits for the agent's end, takes its commits as data, checks them, pushes them. */
export function runPublish(context: PublisherContext): Promise<number> {
  // A stop ends the waiting; a push that is under way is finished.
  const steady = { ...context, stop: createStop() }
  return runPublisherProgram('publish', steady, (parts) => publish(parts, context))
}

async function publish(parts: PublisherParts, context: PublisherContext): Promise<Finished> {
  const { config, log } = parts
  const checkout = await readCheckoutRecord(config.repositoryFolder)
  const nothing = (message: string) => ({ message, vcs: describeCheckout(checkout) })
  const socket = await accept(config.publishFolder, context.stop)
  if (socket === undefined) return nothing('nothing was pushed because the pod is being stopped')
  log.info('agent connected')
  try {
    const outcome = await handle(parts, checkout, socket, context)
    if (outcome === undefined) {
      if (!context.stop.signal.aborted) requireChanges(parts, checkout)
      return nothing('nothing was pushed because the agent submitted no work')
    }
    await send(socket, outcome.reply)
    if (outcome.failure !== undefined) throw outcome.failure
    return outcome.finished
  } finally {
    socket.destroy()
  }
}

type Outcome =
  | { readonly reply: Reply; readonly finished: Finished; readonly failure?: undefined }
  | { readonly reply: Reply; readonly failure: PublishFailure }

/** Undefined if the agent ended, or the pod is stopped, before anything was submitted. */
async function handle(
  parts: PublisherParts,
  checkout: CheckoutRecord,
  socket: Socket,
  context: PublisherContext,
): Promise<Outcome | undefined> {
  const reader = new FrameReader(socket)
  const onStop = () => socket.destroy()
  context.stop.signal.addEventListener('abort', onStop, { once: true })
  let isKept = false
  let commit: string | undefined
  try {
    const submission = await reader.submission().catch((error: unknown) => {
      if (error instanceof ProtocolError) throw error
      return undefined
    })
    if (submission === undefined) return undefined
    commit = submission.commit
    await receive(parts, checkout, reader, submission)
    context.stop.signal.removeEventListener('abort', onStop)
    const vcs = describeCheckout(checkout)
    if (commit === checkout.startCommit) {
      requireChanges(parts, checkout)
      return {
        reply: { pushed: false },
        finished: { message: 'nothing was pushed because there are no new commits', vcs },
      }
    }
    await inspect(parts, checkout, commit)
    // Not before: the log must not show a token.
    await checkPolicy(parts, checkout, commit)
    isKept = true
    const { git, plan } = parts
    const { branchPolicy: policy = {}, vcs: planned } = plan
    const providerBase = planned.defaults?.baseBranch
    const branch = await pushWork({ git, checkout, policy, providerBase, commit })
    const size = await diffSize(git, checkout.startCommit, commit)
    const finished = {
      message: `the work was pushed to ${branch}`,
      vcs: { ...vcs, headBranch: branch, commit, pushed: true, ...size },
    }
    return { reply: { pushed: true, branch }, finished }
  } catch (error) {
    const reason = reasonOf(error)
    const why = error instanceof Error ? error.message : String(error)
    const message = parts.mask(why)
    const bundle = isKept ? await keep(parts, checkout, commit ?? '', context) : undefined
    const vcs = { ...describeCheckout(checkout), ...(bundle !== undefined && { bundle }) }
    const failure = new PublishFailure(reason, kept(message, bundle), vcs)
    return { reply: { pushed: false, reason, message }, failure }
  } finally {
    context.stop.signal.removeEventListener('abort', onStop)
  }
}

/** Throws if the run has to change the repository. Called when there is nothing to push. */
function requireChanges({ plan }: PublisherParts, checkout: CheckoutRecord): void {
  if (plan.requireChanges !== true) return
  throw new PublishFailure(
    'ChangesRequired',
    'nothing was pushed because there are no changes, and vcsPolicy.requireChanges is true',
    describeCheckout(checkout),
  )
}

function reasonOf(error: unknown): Reason {
  if (error instanceof RunFailure) return error.reason
  return error instanceof ProtocolError ? 'PublishRefused' : 'RunnerFailed'
}

function kept(message: string, bundle: string | undefined): string {
  return bundle === undefined ? message : `${message}; the work is saved in ${bundle}`
}

/** Where the work is kept. The runner keeps it in the workspace, whatever its size. */
async function keep(
  { config, git, log }: PublisherParts,
  checkout: CheckoutRecord,
  commit: string,
  { stdout }: PublisherContext,
): Promise<string> {
  const write = (text: string) =>
    new Promise<void>((resolve) => stdout.write(text, () => resolve()))
  const folder = config.repositoryFolder
  const isLogged = await logBundle({ git, folder, checkout, commit, write }).catch((error) => {
    log.warn('cannot write the unpublished work to the log', { error })
    return false
  })
  return isLogged ? 'the log of container publish' : '.agent in the workspace of the pod'
}

async function receive(
  { gitFolder, gitEnv, git }: PublisherParts,
  checkout: CheckoutRecord,
  reader: FrameReader,
  { commit, packBytes }: { commit: string; packBytes: number },
): Promise<void> {
  if (!commitId.test(commit))
    throw new RunFailure('PublishRefused', 'the submitted commit id is not valid')
  if (packBytes > largestPackBytes) {
    throw new RunFailure(
      'PublishRefused',
      `the new commits take ${packBytes} bytes, more than the limit of ${largestPackBytes} bytes`,
    )
  }
  if (packBytes > 0) {
    await receivePack({ gitFolder, env: gitEnv, pieces: reader.bytes(packBytes) })
  }
  if (commit === checkout.startCommit) return
  const found = await git.run(['cat-file', '-t', commit])
  if (found.code === 0 && found.stdout.trim() === 'commit') return
  throw new RunFailure('PublishRefused', `the submitted pack does not contain commit ${commit}`)
}

async function inspect(
  { gitFolder, gitEnv, secrets }: PublisherParts,
  { startCommit, baseCommit }: CheckoutRecord,
  commit: string,
): Promise<void> {
  const known = [startCommit, baseCommit].filter((one) => one !== undefined)
  const verdict = await scanNewObjects({ gitFolder, env: gitEnv, from: commit, known, secrets })
  if (verdict === 'clean') return
  throw new RunFailure('PublishRefused', refusals[verdict])
}

function checkPolicy(
  { gitFolder, gitEnv, git, plan }: PublisherParts,
  { startCommit, baseCommit }: CheckoutRecord,
  commit: string,
): Promise<void> {
  const { pushPolicy: policy = {} } = plan
  const place = { gitFolder, env: gitEnv }
  return checkPushPolicy({ place, git, policy, startCommit, baseCommit, commit })
}

const refusals: Readonly<Record<Exclude<ScanVerdict, 'clean'>, string>> = {
  secret: 'the new commits contain the credential of the repository; nothing was pushed',
  incomplete: 'the submitted commits are incomplete; nothing was pushed',
  unsearchable:
    'the credential of the repository is too large to be searched for in the new commits; nothing was pushed',
}

/** The first connection is the runner's, made before its program starts; no other is accepted. */
function accept(folder: string, stop: Stop): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true })
    const onStop = () => {
      server.close()
      resolve(undefined)
    }
    if (stop.signal.aborted) {
      resolve(undefined)
      return
    }
    stop.signal.addEventListener('abort', onStop, { once: true })
    server.once('error', reject)
    server.once('connection', (socket) => {
      stop.signal.removeEventListener('abort', onStop)
      socket.on('error', () => undefined)
      server.close()
      resolve(socket)
    })
    void listen(server, folder).catch(reject)
  })
}

function send(socket: Socket, reply: Reply): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.end(frame(reply), () => resolve())
    socket.once('close', () => resolve())
  })
}
