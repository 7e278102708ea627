import type { VcsContext } from '../contract/vcs-context.ts'
import type { RunnerEnvironment } from '../runner-environment.ts'

/** How to sign in. Never part of a URL, an argument or a file of ours. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly username: string; readonly token: string }
  | { readonly kind: 'ssh'; readonly keyPath: string; readonly knownHostsPath?: string }

// What each service expects as the user beside a token.
const TOKEN_USER: Readonly<Record<VcsContext['provider'], string>> = {
  github: 'x-access-token',
  gitlab: 'oauth2',
  bitbucket: 'x-token-auth',
  gitea: 'git',
  generic: 'git',
}

export function credentialsOf(
  { token, username, askpassUsername, sshKeyPath, sshKnownHostsPath }: RunnerEnvironment['vcs'],
  vcs: VcsContext | undefined,
): Credentials {
  if (vcs?.cloneProtocol === 'ssh' && sshKeyPath !== undefined) {
    return {
      kind: 'ssh',
      keyPath: sshKeyPath,
      ...(sshKnownHostsPath !== undefined && { knownHostsPath: sshKnownHostsPath }),
    }
  }
  if (token === undefined) return { kind: 'none' }
  const user = username ?? askpassUsername ?? TOKEN_USER[vcs?.provider ?? 'generic']
  return { kind: 'token', username: user, token }
}

/** What goes over the wire in place of a token. */
export function basicAuth({ username, token }: { username: string; token: string }): string {
  return Buffer.from(`${username}:${token}`).toString('base64')
}
