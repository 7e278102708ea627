import { readFile } from 'node:fs/promises'
import {
  type Credentials as GitCredentials,
  type SshOptions,
  secretsOf as secretsOfCredentials,
} from '@agents/git'
import type { VcsContext } from '../../run-contract/vcs-context.ts'

/** The credential of a repository as the publisher's environment has it. */
interface CredentialVariables {
  readonly token?: string | undefined
  readonly username?: string | undefined
  readonly sshKeyPath?: string | undefined
  readonly sshKnownHostsPath?: string | undefined
}

/** How to sign in. Never part of a URL, an argument or a file that the runner writes. */
export type Credentials =
  | Exclude<GitCredentials, { readonly kind: 'ssh' }>
  | ({ readonly kind: 'ssh'; readonly keyFile: string } & SshOptions)

/** The user name that each service expects with a token. */
const tokenUsers: Readonly<Record<VcsContext['provider'], string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  bitbucket: 'x-token-auth',
  gitea: 'git',
  generic: 'git',
}

export function credentialsOf(
  { token, username, sshKeyPath, sshKnownHostsPath }: CredentialVariables,
  vcs: Pick<VcsContext, 'provider' | 'cloneProtocol'>,
  hostKeyPolicy: 'Strict' | 'AcceptNew' = 'Strict',
): Credentials {
  if (vcs.cloneProtocol === 'ssh' && sshKeyPath !== undefined) {
    return {
      kind: 'ssh',
      keyFile: sshKeyPath,
      knownHostsFile: sshKnownHostsPath,
      unknownHostKeys: hostKeyPolicy === 'AcceptNew' ? 'trust' : 'refuse',
    }
  }
  if (token === undefined) return { kind: 'none' }
  return { kind: 'basic', username: username ?? tokenUsers[vcs.provider], password: token }
}

/** What must not be shown of a credential. */
export async function secretsOf(credentials: Credentials): Promise<string[]> {
  if (credentials.kind !== 'ssh') return secretsOfCredentials(credentials)
  const key = await readFile(credentials.keyFile, 'utf8').catch(() => '')
  // The first and last line are the same for all keys.
  return key.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
}
