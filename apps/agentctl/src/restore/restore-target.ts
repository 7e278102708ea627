import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isGitError } from '@agents/git'
import {
  lastRevisionOf,
  type PlannedObject,
  planRestore,
  Restorer,
  readStoredObjects,
  restoredKinds,
} from '@agents/gittarget'
import type { GitTarget } from '@agents/gittarget-api'
import { type KubeClient, KubeError } from '@agents/kube'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { confirm } from '../cli/confirm.ts'
import { exitCode } from '../cli/exit-code.ts'
import { visibleJson } from '../cli/terminal-text.ts'
import { ageIdentities } from './age-identities.ts'
import { chosenObjects, labelOf } from './chosen-objects.ts'
import { renderPlan, summaryOf } from './render-plan.ts'

interface RestoreRequest {
  /** `KIND/NAME` or `NAMESPACE/KIND/NAME`; all objects if empty. */
  readonly objects: readonly string[]
  readonly revision: string | undefined
  readonly dryRun: boolean
  readonly yes: boolean
  readonly forceConflicts: boolean
  readonly ageKeyFile: string | undefined
  readonly asJson: boolean
}

/** What became of an object. */
interface Outcome {
  readonly object: string
  readonly path: string
  readonly result: 'created' | 'changed' | 'unchanged' | 'failed'
  readonly reason?: string
  readonly kept?: readonly string[]
}

/** Restores objects from what the target has mirrored, with the rights of the user. Resolves to the exit code. */
export async function restoreTarget(
  target: GitTarget,
  client: KubeClient,
  request: RestoreRequest,
  context: CommandContext,
): Promise<number> {
  const { stdout, stderr, stop: signal } = context
  const { forceConflicts, dryRun, asJson } = request
  checkCanConfirm(request, context)
  const identities = await ageIdentities(request.ageKeyFile, context)
  const stored = await withCopy(context, (copy) =>
    readStoredObjects(target, { ...copy, client, revision: request.revision }),
  )
  const access = { client, signal }
  const all = await restoredKinds(stored.objects, access)
  const { objects, unusable } = await chosenObjects(request.objects, stored, all, (places) =>
    withCopy(context, (copy) => lastRevisionOf(places, target, { ...copy, client })),
  )
  const kinds = await restoredKinds(objects, access)
  const plan = await planRestore(objects, {
    ...access,
    ...{ target, kinds, identities, forceConflicts },
  })
  const outcomes: Outcome[] = unusable.map(({ path, identity, reason }) => ({
    object: identity === undefined ? path : labelOf(identity),
    ...{ path, result: 'failed', reason },
  }))
  const counts = summaryOf(plan, unusable.length)
  stderr.write(`Commit ${stored.commit.slice(0, 12)}: ${counts || 'no objects'}\n`)
  if (!asJson) stdout.write(renderPlan(plan))
  const pending = plan.filter(({ action }) => action === 'create' || action === 'change')
  if (pending.length > 0 && !dryRun && !request.yes) {
    const question = `Restore ${pending.length} ${pending.length === 1 ? 'object' : 'objects'}?`
    if (!(await confirm(question, context))) throw new CommandFailure('nothing was restored')
  }
  const restorer = new Restorer({ ...access, forceConflicts })
  const report = (outcome: Outcome): void => {
    outcomes.push(outcome)
    if (!asJson) showOutcome(outcome, context, dryRun)
  }
  if (!asJson) for (const each of outcomes) showOutcome(each, context, dryRun)
  for (const each of plan) {
    const outcome = outcomeOf(each)
    const isApplied = !dryRun && pending.includes(each)
    const result = isApplied ? await restorer.restore(each) : outcome.result
    if (typeof result === 'string') report({ ...outcome, result })
    else report({ ...outcome, result: 'failed', reason: result.reason })
  }
  if (asJson) {
    const document = { commit: stored.commit, dryRun, objects: outcomes }
    stdout.writeDocument(visibleJson(`${JSON.stringify(document, undefined, 2)}\n`))
  }
  return concluded(outcomes, plan, dryRun)
}

/** A script has no one to ask, and finds that out before anything is read. */
function checkCanConfirm({ yes, dryRun, asJson }: RestoreRequest, { terminal }: CommandContext) {
  if (yes || dryRun || (terminal.isInteractive && !asJson)) return
  throw usageFailure(
    'a restore has to be confirmed, and there is no terminal to ask at',
    'To see what would change: --dry-run. To restore without a question: --yes.',
  )
}

/** Reads the repository with a temporary copy, which is removed. */
async function withCopy<T>(
  { stop, environment }: CommandContext,
  read: (copy: { directory: string; path: string; signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'agentctl-restore-'))
  try {
    return await read({
      directory: join(folder, 'repository'),
      path: environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      signal: stop,
    })
  } catch (cause) {
    if (cause instanceof KubeError || !(cause instanceof Error) || stop.aborted) throw cause
    const advice = isGitError(cause)
      ? ['The repository is read with the URL and the Secret of the GitProvider from this machine.']
      : []
    const message = `the mirror cannot be read: ${cause.message}`
    throw new CommandFailure(message, { advice, cause, code: exitCode.cluster })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function outcomeOf({ identity, path, action, reason, kept }: PlannedObject): Outcome {
  return {
    object: labelOf(identity),
    path,
    result: resultOf[action],
    ...(reason !== undefined && { reason }),
    ...(kept.length > 0 && { kept }),
  }
}

const resultOf = {
  create: 'created',
  change: 'changed',
  none: 'unchanged',
  impossible: 'failed',
} as const

function showOutcome(
  { object, path, result, reason }: Outcome,
  { stdout, stderr }: CommandContext,
  dryRun: boolean,
): void {
  if (result === 'failed') {
    const what = object === path ? path : `${object} (${path})`
    stderr.write(`${stderr.style.bad('error:')} ${what}: ${reason}\n`)
  } else if (result !== 'unchanged') {
    stdout.write(`${object} ${result}${dryRun ? ' (dry run)' : ''}\n`)
  }
}

function concluded(
  outcomes: readonly Outcome[],
  plan: readonly PlannedObject[],
  dryRun: boolean,
): number {
  const failed = outcomes.filter(({ result }) => result === 'failed')
  if (failed.length === 0) return exitCode.done
  const wants = (text: string): boolean => failed.some(({ reason = '' }) => reason.includes(text))
  throw new CommandFailure(
    `${failed.length} of ${outcomes.length} objects ${dryRun ? 'cannot be' : 'were not'} restored`,
    {
      advice: [
        ...(plan.some(({ isConflict }) => isConflict)
          ? ['To take over the fields of other managers: --force-conflicts']
          : []),
        ...(wants('no age key was given')
          ? ['To decrypt Secrets: --age-key-file FILE, or SOPS_AGE_KEY_FILE as for sops']
          : []),
      ],
    },
  )
}
