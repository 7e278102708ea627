import { pass, wait } from '@agents/controller'
import { folderPath, isGitError } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { explainGitError } from '../git-provider/explain-git-error.ts'
import type { MirrorSettings } from '../mirror/mirror-settings.ts'
import type { MirrorState } from '../mirror/mirror-state.ts'
import { CONFIRM_DELETE } from '../mirror/sweep-guard.ts'
import { durationMs } from './duration.ts'
import { targetPlan } from './target-plan.ts'
import {
  type GitTargetPorts,
  providerKeyOf,
  type TargetDetail,
  type TargetFindings,
  type TargetGate,
} from './target-ports.ts'

/** A repository that answers at all does so within this time; longer is worth telling. */
const PATIENCE_MS = 10_000
const RETRY_MS = 60_000

export const bootstrapped = (
  ports: GitTargetPorts,
  findings: WeakMap<GitTarget, TargetFindings>,
): TargetGate<'Bootstrapped'> => ({
  condition: 'Bootstrapped',
  async check(target, _detail, { signal }) {
    const { caches, mirrors, doubt } = ports
    const key = formatKey(target.metadata)
    const found = findings.get(target)
    if (found === undefined) throw new TypeError('the gates before have not passed')
    try {
      const place = { writer: found.writer, folder: folderPath(target.spec.path) }
      const settings = mirrorSettings(target, found, ports)
      // Deleted while the gates before were asking: nobody would end its mirror.
      if (caches.gitTargets.get(key)?.metadata.uid !== target.metadata.uid) {
        return wait('WorkerNotFound', 'the target was deleted', RETRY_MS)
      }
      await mirrors.ensure(key, place, settings)
    } catch (error) {
      if (!isGitError(error)) throw error
      return wait('WorkerNotFound', explainGitError(error), RETRY_MS)
    }
    const isKnown = (known?: MirrorState): boolean => known?.opening.kind !== 'opening'
    const state = await mirrors.until(key, isKnown, PATIENCE_MS, signal)
    const detail = workerDetail(state)
    if (state === undefined || state.opening.kind === 'opening') {
      return wait('WorkerNotFound', 'the repository has not answered yet', RETRY_MS, { detail })
    }
    if (state.opening.kind === 'failed') {
      doubt(providerKeyOf(target))
      return wait('BootstrapFailed', state.opening.message, RETRY_MS, { detail })
    }
    return bootstrapVerdict(target, state, state.opening.hasFiles)
  },
})

const bootstrapVerdict = (target: GitTarget, state: MirrorState, hadFiles: boolean) => {
  const previous = target.status?.bootstrap
  const commit = state.bootstrap?.commit ?? previous?.commit
  const time = state.bootstrap ? rfc3339(state.bootstrap.time) : previous?.lastAppliedTime
  const detail: Partial<TargetDetail> = {
    ...workerDetail(state),
    bootstrap: {
      targetPath: target.spec.path,
      ...(commit !== undefined && { commit }),
      ...(time !== undefined && { lastAppliedTime: time }),
    },
  }
  return commit === undefined && hadFiles
    ? pass('BootstrapNotNeeded', 'the files were there already', { detail })
    : pass('BootstrapApplied', 'the files are part of the first commit', { detail })
}

const workerDetail = (state: MirrorState | undefined): Partial<TargetDetail> =>
  state === undefined ? {} : { workerRef: state.worker }

const mirrorSettings = (
  target: GitTarget,
  { provider, encryption }: TargetFindings,
  { caches, catalog }: GitTargetPorts,
): MirrorSettings => {
  const { prune, suspend } = target.spec
  const { push, commit } = provider.spec
  const { served } = catalog
  if (served === undefined) throw new Error('the server has not said yet what it serves')
  const plan = targetPlan(target, caches, served)
  if (plan.missing.length > 0) catalog.miss()
  const confirmed = target.metadata.annotations?.[CONFIRM_DELETE]
  const isOn = encryption?.kind === 'on'
  return {
    selections: plan.selections,
    missing: plan.missing,
    encryption: isOn ? encryption.encryption : undefined,
    prune,
    confirmed,
    suspend,
    messageTemplate: commit.messageTemplate,
    commitWindowMs: durationMs(push.commitWindow),
    maxWindowMs: durationMs(push.maxWindow),
    revision: JSON.stringify([
      plan.revision,
      isOn ? encryption.recipientsHash : '',
      prune,
      confirmed,
      suspend,
    ]),
  }
}
