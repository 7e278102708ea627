import type { VersionControlProvider } from '@agents/jangar-api'
import { keyMissing } from '../../../kubernetes/dependency.ts'
import { missingKey } from '../../../kubernetes/missing-key.ts'
import { addressProblem } from '../../version-control-provider/address-problem.ts'
import { readSignIn, type SignIn } from '../../version-control-provider/sign-in.ts'
import { mintedTokenSecret } from '../../version-control-provider/vcs-token-secret.ts'
import { type Found, found, refused, waiting } from './problem.ts'
import type { ResolutionPorts, VcsAuth } from './resolution.ts'
import { bindingProblem, platformSecretProblem } from './secret-policy.ts'

/**
 * Resolves the Secret with which the run's pod authenticates. Only the name of a minted token's Secret is known here.
 */
export function resolveVcsAuth(
  provider: VersionControlProvider,
  ports: ResolutionPorts,
): Found<VcsAuth> {
  const whose = `VersionControlProvider ${provider.metadata.name}`
  const read = readSignIn(provider.spec)
  if ('problem' in read) {
    const reason =
      read.problem.reason === 'UnsupportedAuth' ? 'UnsupportedVcsAuth' : 'MissingVcsAuth'
    return refused(reason, `${whose}: ${read.problem.message}`)
  }
  const { signIn } = read
  // The provider may have been edited after it became ready.
  const address = addressProblem(provider.spec, signIn)
  if (address !== undefined) return refused('UnsupportedVcsAuth', `${whose}: ${address}`)
  const secret = secretOf(signIn)
  if (secret === undefined) return found({ kind: 'none' })
  const { namespace } = provider.metadata
  const use = { name: secret.name, purpose: `which contains the credentials of ${whose}` }
  return (
    // `allowedSecrets` of the Agent restricts what the agent's container holds. It never holds this Secret.
    platformSecretProblem(use, namespace, ports) ??
    bindingProblem(use, ports) ??
    keyMissing(ports, namespace, { kind: 'Secret', ...secret }, whose) ??
    mintedOrGiven(signIn, provider, ports)
  )
}

function secretOf(signIn: SignIn) {
  if (signIn.method === 'none') return undefined
  return signIn.method === 'token' ? signIn.secret : signIn.privateKey
}

function mintedOrGiven(
  signIn: SignIn,
  provider: VersionControlProvider,
  ports: ResolutionPorts,
): Found<VcsAuth> {
  const { namespace, name } = provider.metadata
  const whose = `VersionControlProvider ${name}`
  switch (signIn.method) {
    case 'none':
      return found({ kind: 'none' })
    case 'token':
      return found({ kind: 'token', secret: signIn.secret, username: signIn.username })
    case 'app': {
      const secret = mintedTokenSecret(provider)
      if (missingKey(ports.caches, namespace, { kind: 'Secret', ...secret }) === undefined) {
        return found({ kind: 'token', secret, username: signIn.username })
      }
      return waiting('VcsAuthUnavailable', `${whose} has no app token yet; see its status`)
    }
    case 'ssh': {
      const { privateKey: secret, knownHosts, hostKeyPolicy } = signIn
      if (knownHosts === undefined) return found({ kind: 'ssh', secret, hostKeyPolicy })
      const missing = keyMissing(ports, namespace, { kind: 'ConfigMap', ...knownHosts }, whose)
      return missing ?? found({ kind: 'ssh', secret, knownHosts, hostKeyPolicy })
    }
  }
}
