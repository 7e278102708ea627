import {
  type GateOf,
  type LivingReconciler,
  livingReconciler,
  pass,
  stall,
  wait,
} from '@agents/controller'
import {
  type Connection,
  canonicalUrl,
  GitError,
  type GitErrorCode,
  isGitError,
  SshSigner,
} from '@agents/git'
import { type GitProvider, gitProviderConditions } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import { templateProblem } from '../mirror/commit-message.ts'
import { explainGitError } from './explain-git-error.ts'
import { globMatcher } from './glob-matcher.ts'
import type { Reachability } from './reachability.ts'
import { type ConnectionPorts, resolveConnection, signingKeyFrom } from './resolve-connection.ts'

export interface GitProviderPorts extends ConnectionPorts {
  readonly reachability: Reachability
  /** Where `git` and `ssh` are searched. */
  readonly path: string
}

interface Detail {
  readonly canonicalURL: string
  readonly signingPublicKey: string | undefined
}
type Conditions = typeof gitProviderConditions
type ProviderGate<Type extends Conditions['gates'][number]['type']> = GateOf<
  Conditions,
  Type,
  GitProvider,
  Detail
>

/** Whoever mends a server tells nobody here. */
const RETRY_MS = 30_000

export const gitProviderReconciler = (ports: GitProviderPorts): LivingReconciler<GitProvider> =>
  livingReconciler({
    kind: 'GitProvider',
    conditions: gitProviderConditions,
    gates: [validated(ports), credentialsResolved(ports), reachable(ports)],
  })

const validated = ({ reader, path }: GitProviderPorts): ProviderGate<'Validated'> => ({
  condition: 'Validated',
  async check({ metadata, spec }, _detail, { signal }) {
    const url = canonical(spec.url)
    if (url instanceof GitError) return stall('URLInvalid', url.message)
    const detail = { canonicalURL: url, signingPublicKey: undefined }
    const malformed = spec.allowedBranches.find((pattern) => !isPattern(pattern))
    if (malformed !== undefined) {
      return stall('BranchPatternInvalid', `the pattern ${malformed} is malformed`)
    }
    const { messageTemplate, signing } = spec.commit
    const problem = messageTemplate === undefined ? undefined : templateProblem(messageTemplate)
    if (problem !== undefined) return stall('MessageTemplateInvalid', problem)
    if (signing === undefined) return pass('OK', 'the spec can be used as it is', { detail })
    const { name } = signing.secretRef
    const secret = await reader.secret({ namespace: metadata.namespace, name }, signal)
    if (secret === undefined) {
      return stall('SigningKeyNotFound', `the Secret ${name} does not exist`, { detail })
    }
    const key = signingKeyFrom(secret.values)
    const signingPublicKey = key && (await publicKeyOf(key, path))
    if (signingPublicKey === undefined) {
      return stall('SigningKeyMalformed', `the Secret ${name} holds no SSH private key`, { detail })
    }
    return pass('OK', 'the spec can be used as it is', { detail: { ...detail, signingPublicKey } })
  },
})

const canonical = (url: string): string | GitError => {
  try {
    return canonicalUrl(url)
  } catch (error) {
    if (isGitError(error)) return error
    throw error
  }
}

const isPattern = (pattern: string): boolean => {
  try {
    globMatcher(pattern)
    return true
  } catch {
    return false
  }
}

const publicKeyOf = async (
  key: { privateKey: string; passphrase?: string },
  path: string,
): Promise<string | undefined> => {
  try {
    const signer = await SshSigner.open({ ...key, path })
    await signer.close()
    return signer.publicKey
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}

const credentialsResolved = (ports: GitProviderPorts): ProviderGate<'CredentialsResolved'> => ({
  condition: 'CredentialsResolved',
  async check(provider, _detail, { signal }) {
    const resolved = await resolveConnection(provider, ports, signal)
    if (!resolved.ok) return stall(resolved.reason, resolved.message)
    return provider.spec.secretRef === undefined
      ? pass('NotRequired', 'the repository is used anonymously')
      : pass('OK', 'credentials and host keys were read')
  },
})

const reachable = (ports: GitProviderPorts): ProviderGate<'Reachable'> => ({
  condition: 'Reachable',
  async check(provider, _detail, { signal }) {
    const resolved = await resolveConnection(provider, ports, signal)
    if (!resolved.ok) return wait('ConnectionFailed', resolved.message, RETRY_MS)
    try {
      const { reachability } = ports
      await reachability.check(formatKey(provider.metadata), resolved.connection, signal)
      return pass('OK', 'the repository answered')
    } catch (error) {
      if (!isGitError(error)) throw error
      const message = `${adviceFor(error, resolved.connection)}${explainGitError(error)}`
      if (error.code === 'refused') return stall('RepositoryNotFound', message)
      return wait(reasons[error.code] ?? 'ConnectionFailed', message, RETRY_MS)
    }
  },
})

/** The words of a TLS library help nobody who does not know what we compared with. */
const adviceFor = ({ code }: GitError, { caCertificates }: Connection): string => {
  if (code !== 'certificate') return ''
  return caCertificates === undefined
    ? "the system's authorities do not vouch for this server; put the certificate of its authority into the Secret, under ca.crt: "
    : 'the certificates under ca.crt in the Secret do not vouch for this server: '
}

const reasons: Partial<Record<GitErrorCode, ReasonOf<Conditions, 'Reachable'>>> = {
  auth: 'AuthenticationFailed',
  'host-key': 'HostKeyRejected',
  certificate: 'CertificateNotTrusted',
  'not-found': 'RepositoryNotFound',
}
