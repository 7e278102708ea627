import { fileURLToPath } from 'node:url'
import { platformNamespace } from '../cluster/open-cluster.ts'
import { credentialsName } from './mirror-objects.ts'
import type { MirrorRepository } from './mirror-repository.ts'

/** A command, and what it does. */
export type Hint = readonly [command: string, does: string]

/** What somebody can do with a mirror that he has asked for: with agentctl and git, and with kubectl where it cannot work yet. */
export function mirrorCommands(
  { url, needsCredentials }: MirrorRepository,
  quoted: (word: string) => string,
): { own: Hint[]; kubectl: Hint[] } {
  const place = url.startsWith('file://') ? fileURLToPath(url) : url
  return {
    own: [
      ['npx agentctl gittarget status', 'how the mirror stands'],
      [`git clone ${quoted(place)}`, 'what it has written'],
    ],
    kubectl: needsCredentials ? [[createSecret(url), 'what the mirror signs in with, once']] : [],
  }
}

/** Files, so that neither a password nor a key gets into the history of a shell. */
function createSecret(url: string): string {
  const values = /^https?:/.test(url)
    ? '--from-literal=username=USER --from-file=password=FILE'
    : '--from-file=ssh-privatekey=FILE --from-file=known_hosts=FILE'
  return `kubectl create secret generic ${credentialsName} -n ${platformNamespace} ${values}`
}
