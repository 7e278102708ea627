import { pass, stall, wait } from '@agents/controller'
import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { resolveConnection, signingKeyFrom } from '../git-provider/resolve-connection.ts'
import type { WriterSettings } from '../mirror/branch-writers.ts'
import { templateProblem } from '../mirror/commit-message.ts'
import { allowsBranch, conflictingTarget, describeTarget } from './overlap.ts'
import { pauseMirror } from './pause-mirror.ts'
import {
  type GitTargetPorts,
  providerOf,
  type TargetFindings,
  type TargetGate,
} from './target-ports.ts'

/** Everything that can change is watched; this is for what was missed all the same. */
const RECHECK_MS = 300_000

export const validated = (
  ports: GitTargetPorts,
  findings: WeakMap<GitTarget, TargetFindings>,
): TargetGate<'Validated'> => ({
  condition: 'Validated',
  async check(target, _detail, { signal }) {
    const { caches, mirrors } = ports
    const key = formatKey(target.metadata)
    const { branch, providerRef } = target.spec
    const provider = providerOf(target, caches)
    if (provider === undefined) {
      await pauseMirror(target, ports)
      const message = `the GitProvider ${providerRef.name} does not exist in this namespace`
      return wait('ProviderNotFound', message, RECHECK_MS)
    }
    if (!allowsBranch(provider, branch)) {
      await mirrors.stop(key, 0)
      const allowed = provider.spec.allowedBranches.join(', ')
      const message = `${providerRef.name} allows ${allowed}, not ${branch}`
      return stall('BranchNotAllowed', message)
    }
    const others = caches.gitTargets.list()
    const winner = conflictingTarget(
      target,
      provider,
      others,
      (other) => providerOf(other, caches),
      ({ metadata }) => mirrors.repositoryOf(formatKey(metadata)),
    )
    if (winner !== undefined) {
      await mirrors.stop(key, 0)
      const message = `the path belongs to the older ${describeTarget(winner)}`
      // Nobody tells when one whose provider is away gives up.
      const isAway = providerOf(winner, caches) === undefined
      return isAway ? wait('TargetConflict', message, RECHECK_MS) : stall('TargetConflict', message)
    }
    const writer = await writerSettings(target, provider, ports, signal)
    if (typeof writer === 'string') {
      await pauseMirror(target, ports)
      return wait('ProviderNotFound', `${providerRef.name} cannot be used: ${writer}`, RECHECK_MS)
    }
    findings.set(target, { provider, writer })
    return pass('OK', `${providerRef.name} allows ${branch}, and the path is free`)
  },
})

/** What the branch is written with, or why it cannot be. */
const writerSettings = async (
  { spec }: GitTarget,
  provider: GitProvider,
  ports: GitTargetPorts,
  signal: AbortSignal,
): Promise<WriterSettings | string> => {
  const resolved = await resolveConnection(provider, ports, signal)
  if (!resolved.ok) return resolved.message
  const { committer, signing, messageTemplate } = provider.spec.commit
  const problem = messageTemplate === undefined ? undefined : templateProblem(messageTemplate)
  if (problem !== undefined) return `commit.messageTemplate is wrong: ${problem}`
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
  if (signingKey === undefined) return `there is no signing key in the Secret ${name}`
  return { ...settings, signingKey }
}
