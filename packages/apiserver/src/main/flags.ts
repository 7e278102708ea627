import { parseArgs } from 'node:util'

export interface Flags {
  readonly dataDir: string | undefined
  readonly certDir: string | undefined
  readonly port: number
  readonly kubeconfig: string | undefined
  readonly tokenFile: string | undefined
  readonly authorizationMode: 'RBAC' | 'AlwaysAllow'
  readonly disabledAdmission: readonly string[]
  readonly historyEvents: number | undefined
  readonly logLevel: string
}

/** A command line that cannot be obeyed; the message is for the one who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const usage = `Usage: apiserver --data-dir DIR | --ephemeral [flags]

  --data-dir DIR                     where objects and, unless said otherwise, keys are kept
  --ephemeral                        keep everything in memory
  --secure-port PORT                 HTTPS port on 127.0.0.1 (default 6443; 0 takes a free one)
  --kubeconfig FILE                  write an administrator's kubeconfig there
  --cert-dir DIR                     where keys and certificates are kept
  --token-auth-file FILE             CSV of token,user,uid[,"group1,group2"]
  --authorization-mode MODE          RBAC (default) or AlwaysAllow
  --disable-admission-plugins NAMES  with commas between them, such as NamespaceLifecycle
  --history-events COUNT             changes to remember for watches and lists that begin in the past
  --log-level LEVEL                  debug, info (default), warn or error
`

/** Flags are named, and mean, as kube-apiserver's where it has them. Throws UsageError. */
export function parseFlags(args: readonly string[]): Flags {
  const values = read(args)
  const dataDir = values['data-dir']
  if ((dataDir === undefined) === (values.ephemeral !== true)) {
    throw new UsageError('give either --data-dir or --ephemeral')
  }
  const port = Number(values['secure-port'])
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`--secure-port must be a port, not ${values['secure-port']}`)
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
  throw new UsageError(`--history-events must be a number above zero, not ${text}`)
}

/** kube-apiserver takes a list; Node and Webhook have no meaning here, RBAC anywhere in it decides. */
function modeOf(text: string): 'RBAC' | 'AlwaysAllow' {
  const modes = text.split(',').map((mode) => mode.trim())
  if (modes.includes('RBAC')) return 'RBAC'
  if (modes.includes('AlwaysAllow')) return 'AlwaysAllow'
  throw new UsageError(`--authorization-mode must be RBAC or AlwaysAllow, not ${text}`)
}
