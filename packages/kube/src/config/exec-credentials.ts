import { bearer, type CredentialSource, type Credentials } from '../transport/connection.ts'
import type { ConfigEffects } from './effects.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import type { ExecEntry } from './kubeconfig-file.ts'
import { materialOf } from './material.ts'
import type { TargetCluster } from './user-credentials.ts'

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
/** Credentials are renewed this long before they expire. */
const marginMs = 10_000

/** Runs a credential plugin, and runs it again when its credentials expire or are rejected. */
export function execCredentials(
  exec: ExecEntry,
  target: TargetCluster,
  effects: ConfigEffects,
): CredentialSource {
  const { command } = exec
  const apiVersion = exec.apiVersion ?? ''
  if (!apiVersions.includes(apiVersion)) {
    throw new KubeconfigError(
      `the credential plugin uses apiVersion ${JSON.stringify(apiVersion)}, which is not supported`,
    )
  }
  if (!command) throw new KubeconfigError('the credential plugin has no command')
  if (exec.interactiveMode === 'Always') {
    throw new KubeconfigError(
      `the credential plugin ${command} is interactive (interactiveMode: Always), which is not supported`,
    )
  }
  let known: { credentials: Credentials; expiresAt: number } | undefined
  let running: Promise<Credentials> | undefined

  const run = async (): Promise<Credentials> => {
    const environment = await pluginEnvironment(exec, apiVersion, target, effects)
    let output: string
    try {
      output = await effects.runCommand(command, exec.args ?? [], environment)
    } catch (cause) {
      const hint = exec.installHint ? ` ${exec.installHint.trim()}` : ''
      throw new KubeconfigError(`the credential plugin ${command} failed.${hint}`, { cause })
    }
    known = readCredential(output, command, apiVersion)
    return known.credentials
  }
  return {
    current: () => {
      if (known !== undefined && effects.clock.now().getTime() < known.expiresAt - marginMs) {
        return Promise.resolve(known.credentials)
      }
      running ??= run().finally(() => {
        running = undefined
      })
      return running
    },
    rejected: () => {
      known = undefined
    },
  }
}

async function pluginEnvironment(
  exec: ExecEntry,
  apiVersion: string,
  { cluster, server }: TargetCluster,
  effects: ConfigEffects,
): Promise<Record<string, string | undefined>> {
  const spec: Record<string, unknown> = { interactive: false }
  if (exec.provideClusterInfo === true) {
    const authority = await materialOf(
      cluster['certificate-authority-data'],
      cluster['certificate-authority'],
      'certificate-authority',
      effects,
    )
    spec.cluster = {
      server,
      ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
      ...(authority && {
        'certificate-authority-data': Buffer.from(authority).toString('base64'),
      }),
    }
  }
  const added = (exec.env ?? []).map(({ name, value }) => [name, value] as const)
  return {
    ...effects.environment,
    ...Object.fromEntries(added),
    KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }),
  }
}

interface ExecCredential {
  readonly apiVersion?: string
  readonly kind?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

function readCredential(
  output: string,
  command: string,
  apiVersion: string,
): { credentials: Credentials; expiresAt: number } {
  const { kind, status, apiVersion: answered } = parseOutput(output, command)
  if (kind !== 'ExecCredential' || answered !== apiVersion) {
    throw new KubeconfigError(
      `the credential plugin ${command} did not return an ExecCredential of ${apiVersion}`,
    )
  }
  const { token, clientCertificateData: certificate, clientKeyData: key } = status ?? {}
  if (!token && !(certificate && key)) {
    throw new KubeconfigError(`the credential plugin ${command} returned no credential`)
  }
  const expires = status?.expirationTimestamp
  return {
    credentials: {
      ...(token && { authorization: bearer(token) }),
      ...(certificate && key && { clientCertificate: { certificate, key } }),
    },
    expiresAt: expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires),
  }
}

// The message does not quote the output: it may contain a token.
function parseOutput(output: string, command: string): ExecCredential {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch {
    value = undefined
  }
  if (value === null || typeof value !== 'object') {
    throw new KubeconfigError(`the credential plugin ${command} returned no JSON object`)
  }
  return value as ExecCredential
}
