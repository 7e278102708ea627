/**
 * Settings of one `git` process. They are passed in its environment, so neither its arguments nor a file shows them.
 */
export type GitConfig = readonly (readonly [key: string, value: string])[]

export interface GitEnvironmentOptions {
  /** The PATH in which programs are searched. */
  readonly path: string | undefined
  /** The repository. If omitted, git searches for it from the working directory. */
  readonly gitDirectory?: string
  /** A directory without settings in it: `git`, `ssh` and `curl` read a user's settings there. */
  readonly home: string
  /** The transports that git may use. */
  readonly protocols: readonly string[]
  /** Added to the hardened settings. */
  readonly config?: GitConfig
  /** Further variables, such as those of a proxy. They cannot replace a hardened one. */
  readonly variables?: Readonly<Record<string, string>>
}

/**
 * The whole environment of a `git` process, with nothing inherited: no settings of a system or a user apply, no hook,
 * helper or prompt runs, and no credential follows a redirect. A repository's own settings still apply where these set
 * nothing, so a credential is only ever used in a repository that nobody else writes to.
 */
export function gitEnvironment(options: GitEnvironmentOptions): Record<string, string> {
  const { path, gitDirectory, home, protocols, config = [], variables = {} } = options
  return {
    ...variables,
    ...(path !== undefined && { PATH: path }),
    HOME: home,
    XDG_CONFIG_HOME: home,
    // Failures are classified by git's messages.
    LC_ALL: 'C',
    ...(gitDirectory !== undefined && { GIT_DIR: gitDirectory }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    GIT_OPTIONAL_LOCKS: '0',
    ...configVariables([...hardenedConfig, ...config]),
  }
}

const hardenedConfig: GitConfig = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['commit.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['transfer.credentialsInUrl', 'die'],
  // A redirect would send the Authorization header to a host that nobody chose.
  ['http.followRedirects', 'false'],
]

/** The setting that sends an Authorization header to the server of this URL and to no other. */
export function authorizationConfig(url: string, authorization: string): GitConfig {
  return [[`http.${new URL(url).origin}/.extraHeader`, `Authorization: ${authorization}`]]
}

function configVariables(config: GitConfig): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) }
  for (const [index, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return variables
}
