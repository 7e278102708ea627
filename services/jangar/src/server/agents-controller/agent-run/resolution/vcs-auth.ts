import type { Agent, VersionControlProvider } from '@agents/jangar-api'
import { missingKey } from '../../missing-key.ts'
import { readSignIn, type SignIn } from '../../version-control-provider/sign-in.ts'
import { mintedTokenSecret } from '../../version-control-provider/vcs-token-secret.ts'
import { keyMissing } from './dependency.ts'
import { type Found, found, refused, waiting } from './problem.ts'
import type { ResolutionPorts, VcsAuth } from './resolution.ts'
import { secretProblem } from './secret-policy.ts'

/** Where the run's pod finds what it signs in with. A minted token is known here by the name of its Secret alone. */
export function resolveVcsAuth(
  provider: VersionControlProvider,
  agent: Agent,
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
  const secret = secretOf(signIn)
  if (secret === undefined) return found({ kind: 'none' })
  const { namespace } = provider.metadata
  return (
    secretProblem(
      { name: secret.name, purpose: `which ${whose} signs in with` },
      agent,
      ports.config.agents.admission.blockedSecrets,
    ) ??
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
      return waiting(
        'VcsAuthUnavailable',
        `${whose} has no token of its app yet; its status says why`,
      )
    }
    case 'ssh': {
      const { privateKey: secret, knownHosts } = signIn
      if (knownHosts === undefined) return found({ kind: 'ssh', secret })
      const missing = keyMissing(ports, namespace, { kind: 'ConfigMap', ...knownHosts }, whose)
      return missing ?? found({ kind: 'ssh', secret, knownHosts })
    }
  }
}
