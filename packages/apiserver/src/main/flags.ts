import { parseArgs } from 'node:util'
import type { AuthorizationMode } from '../auth/authorization-mode.ts'

export interface Flags {
  readonly dataDir: string | undefined
  readonly certDir: string | undefined
  readonly port: number
  readonly kubeconfig: string | undefined
  readonly tokenFile: string | undefined
  readonly authorizationMode: AuthorizationMode
  readonly disabledAdmission: readonly string[]
  readonly historyEvents: number | undefined
  readonly logLevel: string
}

/** The command line is invalid. The message is shown to the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `Usage: apiserver --data-dir DIR | --ephemeral [flags]

  --data-dir DIR                     directory for objects and, without --cert-dir, for keys
  --ephemeral                        keep everything in memory and lose it at exit
  --secure-port PORT                 HTTPS port on 127.0.0.1 (default 6443; 0 picks a free port)
  --kubeconfig FILE                  write a kubeconfig for an administrator to FILE
  --cert-dir DIR                     directory for keys and certificates (default DATA_DIR/pki)
  --token-auth-file FILE             static tokens as CSV: token,user,uid[,"group1,group2"]
  --authorization-mode MODE          RBAC (default) or AlwaysAllow
  --disable-admission-plugins NAMES  comma-separated admission plugins, such as NamespaceLifecycle
  --history-events COUNT             number of past changes that watches and lists can start from
  --log-level LEVEL                  debug, info (default), warn or error
`

/** Parses flags with the names and meanings of kube-apiserver's, where it has them. Throws UsageError. */
export function parseFlags(args: readonly string[]): Flags {
  const values = read(args)
  const dataDir = values['data-dir']
  if ((dataDir === undefined) === (values.ephemeral !== true)) {
    throw new UsageError('exactly one of --data-dir and --ephemeral is required')
  }
  const port = Number(values['secure-port'])
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(
      `--secure-port must be a number from 0 to 65535, got "${values['secure-port']}"`,
    )
  }
  return {
    dataDir,
    certDir: values['cert-dir'],
    port,
    kubeconfig: values.kubeconfig,
    tokenFile: values['token-auth-file'],
    authorizationMode: modeOf(values['authorization-mode']),
    disabledAdmission: values['disable-admission-plugins']
      .flatMap((names) => names.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    historyEvents: countOf(values['history-events']),
    logLevel: values['log-level'],
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'data-dir': { type: 'string' },
        ephemeral: { type: 'boolean', default: false },
        'secure-port': { type: 'string', default: '6443' },
        kubeconfig: { type: 'string' },
        'cert-dir': { type: 'string' },
        'token-auth-file': { type: 'string' },
        'authorization-mode': { type: 'string', default: 'RBAC' },
        'disable-admission-plugins': { type: 'string', multiple: true, default: [] },
        'history-events': { type: 'string' },
        'log-level': { type: 'string', default: 'info' },
      },
    }).values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(error.message, { cause: error })
  }
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new UsageError(`--history-events must be a positive integer, got "${text}"`)
}

/** Like kube-apiserver, accepts a list. RBAC anywhere in it wins; Node and Webhook have no effect. */
function modeOf(text: string): AuthorizationMode {
  const modes = text.split(',').map((mode) => mode.trim())
  if (modes.includes('RBAC')) return 'RBAC'
  if (modes.includes('AlwaysAllow')) return 'AlwaysAllow'
  throw new UsageError(`--authorization-mode must be RBAC or AlwaysAllow, got "${text}"`)
}
