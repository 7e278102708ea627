import type { KubeObject } from '@agents/kube'
import type { ParsedCertificateRequest } from '../auth/pki/certificate-request.ts'
import { type SigningAuthority, signedUsages, signRequest } from '../auth/pki/sign-request.ts'
import { superusers } from '../auth/rbac/authorizer.ts'
import { number, part, parts, text, texts } from '../builtin/fields.ts'
import { requestOf } from '../builtin/kinds/certificates/request-kind.ts'
import type { BuiltinObject } from '../builtin/strategy/kind-rules.ts'
import { secondsTimestamp } from '../metadata/timestamps.ts'
import type { Registry } from '../registry/registry.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { type InternalClient, ignoreMissing } from './internal-client.ts'
import { signerProblem } from './signer-rules.ts'
import { startWatchedQueue } from './watched-queue.ts'

interface CertificateSignerOptions {
  readonly store: Store
  readonly registry: Registry
  readonly client: InternalClient
  readonly clock: () => Date
  readonly authority: SigningAuthority
  readonly onError: (key: string, error: unknown) => void
}

const group = 'certificates.k8s.io'
const plural = 'certificatesigningrequests'
const prefix = `/${group}/${plural}/`

/** The longest lifetime of a certificate, and the default: a year. */
const lifetimeMs = 365 * 24 * 3_600_000
const minimumLifetimeMs = 600_000

/** Signs approved CertificateSigningRequests of the built-in signers. It approves none. */
export function startCertificateSigner(options: CertificateSignerOptions): BackgroundTask {
  const { store, onError } = options
  return startWatchedQueue({ store, prefix, work: (key) => sign(key, options), onError })
}

async function sign(key: string, options: CertificateSignerOptions): Promise<void> {
  const { store, registry, client } = options
  const request = store.get(key)?.value as BuiltinObject | undefined
  const resource = registry.find(group, 'v1', plural)
  if (request === undefined || resource === undefined || !isWaiting(request)) return
  const target = { resource, namespace: '', name: request.metadata.name }
  const change = (live: KubeObject): KubeObject | undefined =>
    live.metadata.uid === request.metadata.uid && isWaiting(live as BuiltinObject)
      ? signed(live as BuiltinObject, options)
      : undefined
  await ignoreMissing(client.update(target, change, 'status'))
}

/** Whether a built-in signer has to act: the request is approved, not denied, and has no outcome yet. */
function isWaiting(request: BuiltinObject): boolean {
  const status = part(request, 'status')
  const types = parts(status, 'conditions').map((condition) => text(condition, 'type'))
  return (
    text(part(request, 'spec'), 'signerName').startsWith('kubernetes.io/') &&
    text(status, 'certificate') === '' &&
    types.includes('Approved') &&
    !types.includes('Denied') &&
    !types.includes('Failed')
  )
}

function signed(
  request: BuiltinObject,
  { authority, clock }: CertificateSignerOptions,
): BuiltinObject | undefined {
  const spec = part(request, 'spec')
  const parsed = requestOf(request)
  const usages = texts(spec, 'usages')
  const problem = signerProblem(text(spec, 'signerName'), parsed, usages)
  if (problem === 'not built in') return undefined
  const why = problem ?? subjectProblem(parsed)
  const now = clock()
  const status = part(request, 'status')
  if (why !== undefined) {
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: why,
      lastUpdateTime: secondsTimestamp(now),
    }
    return {
      ...request,
      status: { ...status, conditions: [...parts(status, 'conditions'), failed] },
    }
  }
  const granted = new Set(signedUsages.filter((usage) => usages.includes(usage)))
  const pem = signRequest(parsed, authority, granted, lifetimeOf(spec), now)
  return { ...request, status: { ...status, certificate: Buffer.from(pem).toString('base64') } }
}

/** Checked here too, since a request may have been created while the admission plugin was disabled. */
function subjectProblem({ subject, organizations }: ParsedCertificateRequest): string | undefined {
  if (organizations.includes(superusers)) return `certificates for ${superusers} are not signed`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: such characters hide what is signed.
  return subject.some(({ value }) => /[\u0000-\u001f\u007f]/.test(value))
    ? 'the subject contains control characters'
    : undefined
}

function lifetimeOf(spec: Record<string, unknown>): number {
  const seconds = number(spec, 'expirationSeconds')
  if (seconds === undefined) return lifetimeMs
  return Math.min(Math.max(seconds * 1000, minimumLifetimeMs), lifetimeMs)
}
