import { authorizationConfig, authorizationOf, gitEnvironment, sshEnvironment } from '@agents/git'
import type { Credentials } from './credentials.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What the pod's network needs. No variable that changes how git works is among them. */
const inheritedVariables = [
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

const config = [
  // The fetched repository belongs to the user of another container.
  ['safe.directory', '*'],
  ['core.autocrlf', 'false'],
  ['advice.detachedHead', 'false'],
] as const

/** The environment of git commands in the run's repositories. Has no credential. */
export function localEnvironment(env: Environment): Record<string, string> {
  return gitEnvironment({ ...common(env), config })
}

/** The environment of git commands that talk to one remote. A token is sent to that remote's host only. */
export function remoteEnvironment(
  env: Environment,
  url: string,
  credentials: Credentials,
): Record<string, string> {
  if (credentials.kind === 'ssh') {
    return { ...localEnvironment(env), ...sshEnvironment(credentials) }
  }
  const authorization = authorizationOf(credentials)
  if (authorization === undefined || !/^https?:/.test(url)) return localEnvironment(env)
  return gitEnvironment({
    ...common(env),
    config: [...config, ...authorizationConfig(url, authorization)],
  })
}

function common(env: Environment) {
  const variables = inheritedVariables.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    path: env.PATH,
    home: '/nonexistent',
    protocols: ['https', 'http', 'ssh', 'file'],
    variables: Object.fromEntries(variables),
  }
}
