import { parseDuration } from '@agents/config'
import { pass, wait } from '@agents/controller'
import { folderPath, isGitError } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { MirrorSettings } from '../../mirror/mirror-settings.ts'
import type { MirrorState } from '../../mirror/mirror-state.ts'
import type { RecordedMirror } from '../../mirror/previous-mirror.ts'
import { confirmDeleteAnnotation } from '../../mirror/snapshot/sweep-guard.ts'
import { explainGitError } from '../../repository/explain-git-error.ts'
import { pauseMirror } from '../pause-mirror.ts'
import { pathTemplateOf, targetPlan } from '../target-plan.ts'
import {
  type GitTargetPorts,
  providerKeyOf,
  type TargetDetail,
  type TargetFindings,
  type TargetGate,
} from '../target-ports.ts'

/** Most repositories respond within this time; a longer wait is reported in the status. */
const graceMs = 10_000
const retryMs = 60_000

export function bootstrapped(ports: GitTargetPorts): TargetGate<'Bootstrapped'> {
  return {
    condition: 'Bootstrapped',
    async check(target, _detail, { signal, scope }) {
      const { caches, mirrors, providerFailed } = ports
      const key = formatKey(target.metadata)
      const found = scope.findings
      if (found === undefined)
        throw new TypeError('bootstrapped was checked before validated passed')
      if (found.refusal !== undefined) {
        await pauseMirror(target, ports)
        providerFailed(providerKeyOf(target))
        return wait('BootstrapFailed', found.refusal, retryMs)
      }
      try {
        const { uid = '' } = target.metadata
        const place = { writer: found.writer, folder: folderPath(target.spec.path), uid }
        const settings = mirrorSettings(target, found, ports)
        // If the target was deleted while earlier gates ran, its mirror would never be stopped.
        if (caches.gitTargets.get(key)?.metadata.uid !== target.metadata.uid) {
          return wait('WorkerNotFound', 'the GitTarget was deleted', retryMs)
        }
        await mirrors.ensure(key, place, settings, recordedBy(target))
      } catch (error) {
        if (!isGitError(error)) throw error
        return wait('WorkerNotFound', explainGitError(error), retryMs)
      }
      const isKnown = (known?: MirrorState): boolean => known?.opening.kind !== 'opening'
      const state = await mirrors.until(key, isKnown, graceMs, signal)
      const detail = workerDetail(state)
      if (state === undefined || state.opening.kind === 'opening') {
        return wait('WorkerNotFound', 'waiting for the repository to respond', retryMs, { detail })
      }
      if (state.opening.kind === 'failed') {
        providerFailed(providerKeyOf(target))
        return wait('BootstrapFailed', state.opening.message, retryMs, { detail })
      }
      return bootstrapVerdict(target, state, state.opening.hasFiles)
    },
  }
}

/** What an earlier process recorded in the status. It may have seen deletions before its first comparison. */
function recordedBy({ status }: GitTarget): RecordedMirror {
  const { push, snapshot } = status ?? {}
  const commits = [push?.lastCommit, snapshot?.lastCommit].filter((commit) => commit !== undefined)
  return {
    hasCompared: snapshot?.lastCompletedTime !== undefined,
    commits,
    hasDrifted: (snapshot?.driftedFiles ?? 0) > 0,
    deletions: push?.pendingDeletions ?? [],
  }
}

function bootstrapVerdict(target: GitTarget, state: MirrorState, hadFiles: boolean) {
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
    ? pass('BootstrapNotNeeded', 'the files of the mirror already exist', { detail })
    : pass('BootstrapApplied', 'the files of the mirror are part of the first commit', { detail })
}

function workerDetail(state: MirrorState | undefined): Partial<TargetDetail> {
  return state === undefined ? {} : { workerRef: state.worker }
}

function mirrorSettings(
  target: GitTarget,
  { provider, encryption }: TargetFindings,
  { caches, catalog }: GitTargetPorts,
): MirrorSettings {
  const { prune, suspend, onDrift, driftCheckSeconds } = target.spec
  const { push, commit } = provider.spec
  const { served } = catalog
  if (served === undefined) throw new Error('API discovery has not completed yet')
  const plan = targetPlan(target, caches, served)
  if (plan.missing.length > 0) catalog.miss()
  const confirmed = target.metadata.annotations?.[confirmDeleteAnnotation]
  const isOn = encryption?.kind === 'on'
  return {
    selections: plan.selections,
    rules: plan.rules,
    missing: plan.missing,
    encryption: isOn ? encryption.encryption : undefined,
    prune,
    confirmed,
    pathTemplate: pathTemplateOf(target),
    ignoresFields: (target.spec.ignore?.fields ?? []).length > 0,
    onDrift,
    driftCheckMs: driftCheckSeconds * 1000,
    suspend,
    messageTemplate: commit.messageTemplate,
    attributesChanges: commit.author === 'FromChange',
    commitWindowMs: windowMs(push.commitWindow),
    maxWindowMs: windowMs(push.maxWindow),
    revision: JSON.stringify([
      plan.revision,
      isOn ? encryption.recipientsHash : '',
      prune,
      confirmed,
      onDrift,
      suspend,
    ]),
  }
}

function windowMs(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined) throw new TypeError(`${JSON.stringify(text)} is not a duration`)
  return milliseconds
}
