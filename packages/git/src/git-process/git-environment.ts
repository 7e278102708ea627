/** Settings of one `git` process, handed over in its environment: neither argv nor any file shows them. */
export type GitConfig = readonly (readonly [key: string, value: string])[]

export interface GitEnvironmentOptions {
  readonly gitDirectory: string
  /** An empty directory: `git`, `ssh` and `curl` look there for a user's settings. */
  readonly home: string
  /** Where programs are searched. */
  readonly path: string
  readonly protocols: readonly string[]
  readonly config: GitConfig
  readonly extra?: Readonly<Record<string, string>>
}

/** The whole environment of a `git` process: nothing is inherited from ours. */
export const gitEnvironment = ({
  gitDirectory,
  home,
  path,
  protocols,
  config,
  extra = {},
}: GitEnvironmentOptions): Record<string, string> => ({
  PATH: path,
  HOME: home,
  XDG_CONFIG_HOME: home,
  // Failures are told apart by their words.
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_DIR: gitDirectory,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: protocols.join(':'),
  GIT_OPTIONAL_LOCKS: '0',
  ...configVariables([...alwaysSet, ...config]),
  ...extra,
})

const alwaysSet: GitConfig = [
  ['core.hooksPath', '/dev/null'],
  // The local copy can be made again at any time, so waiting for the disk buys nothing.
  ['core.fsync', 'none'],
  ['core.compression', '1'],
  // Single objects are read back by the next push and then no more.
  ['core.looseCompression', '0'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['credential.helper', ''],
  ['transfer.credentialsInUrl', 'die'],
  // A redirect would carry the Authorization header to a host that nobody chose.
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '100'],
  ['http.lowSpeedTime', '30'],
  // The commit is one request; without room for it curl asks the server twice.
  ['http.postBuffer', '16777216'],
]

const configVariables = (config: GitConfig): Record<string, string> => {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) }
  for (const [index, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key
    variables[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return variables
}
