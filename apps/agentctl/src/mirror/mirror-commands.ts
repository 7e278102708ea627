import { fileURLToPath } from 'node:url'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { credentialsName } from './mirror-objects.ts'
import type { MirrorRepository } from './mirror-repository.ts'

/** A command, and what it does. */
type Hint = readonly [command: string, does: string]

/**
 * Commands to print for a mirror: with agentctl and git, and with kubectl if its credentials are still to be created.
 */
export function mirrorCommands(
  { url, needsCredentials }: MirrorRepository,
  agentctl: string,
  quoted: (word: string) => string,
): { own: Hint[]; kubectl: Hint[] } {
  const place = url.startsWith('file://') ? fileURLToPath(url) : url
  return {
    own: [
      [`${agentctl} gittarget status`, 'show the state of the mirror'],
      [`git clone ${quoted(place)}`, 'clone what it has written'],
    ],
    kubectl: needsCredentials
      ? [[createSecret(url), 'create the Secret that the mirror signs in with']]
      : [],
  }
}

/** Files, so that neither a password nor a key gets into the history of a shell. */
function createSecret(url: string): string {
  const values = /^https?:/.test(url)
    ? '--from-literal=username=USER --from-file=password=FILE'
    : '--from-file=ssh-privatekey=FILE --from-file=known_hosts=FILE'
  return `kubectl create secret generic ${credentialsName} -n ${platformNamespace} ${values}`
}
