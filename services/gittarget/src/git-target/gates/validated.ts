import { pass, stall, wait } from '@agents/controller'
import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { WriterSettings } from '../../mirror/branch/branch-writers.ts'
import { templateProblem } from '../../mirror/commit/commit-message.ts'
import { resolveConnection, signingKeyFrom } from '../../repository/resolve-connection.ts'
import {
  allowsBranch,
  conflictingTarget,
  describeTarget,
  overlappingTargets,
  pathsOverlap,
  repositoryOf,
} from '../paths/overlap.ts'
import type { Claimant } from '../paths/path-claims.ts'
import { pauseMirror } from '../pause-mirror.ts'
import { layoutProblem } from '../target-plan.ts'
import { type GitTargetPorts, providerOf, type TargetGate } from '../target-ports.ts'

/** Changes requeue the target; this interval covers missed ones. */
const recheckMs = 300_000

export function validated(ports: GitTargetPorts): TargetGate<'Validated'> {
  return {
    condition: 'Validated',
    async check(target, _detail, { signal, scope }) {
      const { caches, mirrors } = ports
      const key = formatKey(target.metadata)
      const { branch, providerRef } = target.spec
      const provider = providerOf(target, caches)
      if (provider === undefined) {
        await pauseMirror(target, ports)
        const message = `GitProvider ${providerRef.name} does not exist in this namespace; create it`
        return wait('ProviderNotFound', message, recheckMs)
      }
      if (!allowsBranch(provider, branch)) {
        await mirrors.stop(key, 0)
        const allowed = provider.spec.allowedBranches.join(', ')
        const message = `GitProvider ${providerRef.name} does not allow the branch ${branch}; its allowedBranches are ${allowed}`
        return stall('BranchNotAllowed', message)
      }
      const unclear = layoutProblem(target, caches, ports.catalog.served ?? [])
      if (unclear !== undefined) {
        await mirrors.stop(key, 0)
        return stall('PathTemplateInvalid', unclear)
      }
      const conflict = await findConflict(target, provider, ports, signal)
      if (conflict?.winner !== undefined) {
        await mirrors.stop(key, 0)
        const message = `the path is owned by an older ${describeTarget(conflict.winner, target)}`
        // Nothing reports that a target without a provider has lost its path.
        const isAway = providerOf(conflict.winner, caches) === undefined
        return isAway
          ? wait('TargetConflict', message, recheckMs)
          : stall('TargetConflict', message)
      }
      const writer = await writerSettings(target, provider, ports, signal)
      if (typeof writer === 'string') {
        await pauseMirror(target, ports)
        return wait(
          'ProviderNotFound',
          `GitProvider ${providerRef.name} cannot be used: ${writer}`,
          recheckMs,
        )
      }
      scope.findings = { provider, writer, refusal: conflict?.refusal }
      return pass(
        'OK',
        `GitProvider ${providerRef.name} allows the branch ${branch}, and no other target owns the path`,
      )
    },
  }
}

interface Conflict {
  /** The target that owns the path. */
  readonly winner?: GitTarget
  /** Why this target may not take a path that another one uses: the server does not let it write. */
  readonly refusal?: string
}

/** Finds the other target that owns the path. One of another namespace is only reported if this target can write. */
async function findConflict(
  target: GitTarget,
  provider: GitProvider,
  ports: GitTargetPorts,
  signal: AbortSignal,
): Promise<Conflict | undefined> {
  const { caches, mirrors, claims } = ports
  const repository = repositoryOf(provider)
  if (repository === undefined) return undefined
  const rivals = overlappingTargets(target, repository, caches.gitTargets.list(), (other) => {
    const its = providerOf(other, caches)
    if (its === undefined) return mirrors.repositoryOf(formatKey(other.metadata))
    return allowsBranch(its, other.spec.branch) ? repositoryOf(its) : undefined
  })
  if (rivals.length === 0) return undefined
  const claimant = (one: GitTarget): Claimant => {
    const its = providerOf(one, caches)
    const connect = its && (() => resolveConnection(its, ports, signal))
    return { target: one, repository, connect }
  }
  const self = claimant(target)
  await claims.settle(self, rivals.map(claimant))
  const holds = (one: GitTarget): boolean => claims.holds({ target: one, repository })
  const winner = conflictingTarget(target, rivals, holds)
  const isNeighbour = winner?.metadata.namespace === target.metadata.namespace
  if (winner !== undefined && (isNeighbour || claims.holds(self))) {
    claims.remind(formatKey(winner.metadata))
    return { winner }
  }
  const isUsed = rivals.some((rival) => pathsOverlap(rival, target) && holds(rival))
  return isUsed && !claims.holds(self) ? { refusal: claims.refusal(self) } : undefined
}

/** The settings for writing to the branch, or the reason that there are none. */
async function writerSettings(
  { spec }: GitTarget,
  provider: GitProvider,
  ports: GitTargetPorts,
  signal: AbortSignal,
): Promise<WriterSettings | string> {
  const resolved = await resolveConnection(provider, ports, signal)
  if (!resolved.ok) return resolved.message
  const { committer, signing, messageTemplate } = provider.spec.commit
  const problem = messageTemplate === undefined ? undefined : templateProblem(messageTemplate)
  if (problem !== undefined) return `commit.messageTemplate is invalid: ${problem}`
  const settings = {
    provider: formatKey(provider.metadata),
    connection: resolved.connection,
    branch: spec.branch,
    committer,
  }
  if (signing === undefined) return { ...settings, signingKey: undefined }
  const { name } = signing.secretRef
  const secret = await ports.reader.secret({ namespace: provider.metadata.namespace, name }, signal)
  const signingKey = secret && signingKeyFrom(secret.values)
  if (signingKey === undefined) return `Secret ${name} does not exist or contains no signing key`
  return { ...settings, signingKey }
}
