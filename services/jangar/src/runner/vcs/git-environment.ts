import { basicAuth, type Credentials } from './credentials.ts'

type Environment = Readonly<Record<string, string | undefined>>

// What the network of the pod needs, and nothing that steers git itself.
const PASSED_ON = [
  'PATH',
  'TMPDIR',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'NO_PROXY',
  'https_proxy',
  'http_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
]

// They outrank the repository's own configuration, which the agent may have written.
const SETTINGS: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.autocrlf', 'false'],
  ['credential.helper', ''],
  ['commit.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['submodule.recurse', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['advice.detachedHead', 'false'],
]

/** Git with no configuration but ours, that asks nobody anything. */
export function gitEnvironment(env: Environment): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(passed),
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    ...configuration(SETTINGS),
  }
}

/** The same for talking to one remote. A token goes to that remote's host alone. */
export function remoteEnvironment(
  env: Environment,
  url: string,
  credentials: Credentials,
): Record<string, string> {
  const base = gitEnvironment(env)
  if (credentials.kind === 'ssh') {
    return { ...base, GIT_SSH_COMMAND: sshCommand(credentials), GIT_SSH_VARIANT: 'ssh' }
  }
  if (credentials.kind === 'none' || !/^https?:/.test(url)) return base
  const header = `Authorization: Basic ${basicAuth(credentials)}`
  const scoped = [`http.${new URL(url).origin}/.extraHeader`, header] as const
  return { ...base, ...configuration([...SETTINGS, scoped]) }
}

function configuration(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(entries) }
}

function sshCommand(credentials: Extract<Credentials, { kind: 'ssh' }>): string {
  const { keyPath, knownHostsPath } = credentials
  const trust =
    knownHostsPath === undefined
      ? ['StrictHostKeyChecking=accept-new', 'UserKnownHostsFile=/dev/null']
      : ['StrictHostKeyChecking=yes', `UserKnownHostsFile=${knownHostsPath}`]
  const options = [...trust, 'IdentitiesOnly=yes', 'BatchMode=yes']
  return ['ssh', '-F', '/dev/null', '-i', keyPath, ...options.flatMap((each) => ['-o', each])]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ')
}
