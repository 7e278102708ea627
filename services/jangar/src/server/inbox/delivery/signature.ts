import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const webhookProviders = ['github', 'gitlab', 'gitea', 'linear'] as const
export type WebhookProvider = (typeof webhookProviders)[number]

/** By name in lower case. */
export type WebhookHeaders = Readonly<Record<string, string | undefined>>

/** The header that proves where a delivery comes from, and how. */
const proofs: Readonly<
  Record<WebhookProvider, { readonly header: string; readonly pattern: RegExp | undefined }>
> = {
  // The older x-hub-signature is SHA-1, and is not accepted.
  github: { header: 'x-hub-signature-256', pattern: /^sha256=([0-9a-f]{64})$/ },
  gitea: { header: 'x-gitea-signature', pattern: /^([0-9a-f]{64})$/ },
  linear: { header: 'linear-signature', pattern: /^([0-9a-f]{64})$/ },
  // The secret itself: GitLab signs nothing.
  gitlab: { header: 'x-gitlab-token', pattern: undefined },
}

/** The headers that are read to verify deliveries. */
export const proofHeaders: readonly string[] = Object.values(proofs).map(({ header }) => header)

/** What a request has to prove, or undefined if it cannot be right whatever the secret is. */
export type Claim =
  | { readonly kind: 'digest'; readonly digest: Buffer }
  | { readonly kind: 'token'; readonly token: string }

const longestToken = 1024

/** Reads the proof of a delivery. Needs neither the body nor a secret. */
export function readClaim(provider: WebhookProvider, headers: WebhookHeaders): Claim | undefined {
  const { header, pattern } = proofs[provider]
  const value = headers[header]
  if (value === undefined || value === '') return undefined
  if (pattern === undefined) {
    return value.length > longestToken ? undefined : { kind: 'token', token: value }
  }
  const hex = pattern.exec(value)?.[1]
  return hex === undefined ? undefined : { kind: 'digest', digest: Buffer.from(hex, 'hex') }
}

/** Tokens are compared by their digests under a key that nobody knows, so that lengths do not matter. */
const comparisonKey = randomBytes(32)

/** Nobody signs with it. Takes the time that a real one would take. */
const decoy = randomBytes(32)

/**
 * Whether one of the secrets proves the claim, in constant time. All secrets are tried, and one more if there is none,
 * so that a stranger learns neither which one fits nor whether there is any.
 */
export function isProven(claim: Claim, body: Uint8Array, secrets: readonly Uint8Array[]): boolean {
  const given = claim.kind === 'digest' ? claim.digest : mac(comparisonKey, claim.token)
  let isFound = false
  for (const secret of secrets.length === 0 ? [decoy] : secrets) {
    const wanted = claim.kind === 'digest' ? mac(secret, body) : mac(comparisonKey, secret)
    const isEqual = timingSafeEqual(wanted, given)
    isFound = isEqual || isFound
  }
  return isFound && secrets.length > 0
}

function mac(key: Uint8Array, content: Uint8Array | string): Buffer {
  return createHmac('sha256', key).update(content).digest()
}

/** How far the clocks of the sender and ours may be apart. */
const longestAgeMs = 60_000

/** Whether a delivery of Linear, which has its time in the body, is from now. Others have no time. */
export function isTimely(provider: WebhookProvider, payload: object, now: Date): boolean {
  if (provider !== 'linear') return true
  const at = (payload as { readonly webhookTimestamp?: unknown }).webhookTimestamp
  return typeof at === 'number' && Math.abs(now.getTime() - at) <= longestAgeMs
}
