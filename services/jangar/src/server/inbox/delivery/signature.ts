import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const webhookProviders = ['github', 'gitlab', 'gitea', 'linear', 'generic'] as const
export type WebhookProvider = (typeof webhookProviders)[number]

/** By name in lower case. */
export type WebhookHeaders = Readonly<Record<string, string | undefined>>

/** The header that proves where a delivery comes from. */
const proofs: Readonly<Record<WebhookProvider, string>> = {
  // The older x-hub-signature is SHA-1, and is not accepted.
  github: 'x-hub-signature-256',
  gitea: 'x-gitea-signature',
  linear: 'linear-signature',
  // The secret itself: GitLab signs nothing.
  gitlab: 'x-gitlab-token',
  // As https://www.standardwebhooks.com describes it.
  generic: 'webhook-signature',
}

/** Also signed by generic deliveries: whoever records one cannot give it another identifier or time. */
const idHeader = 'webhook-id'
const timeHeader = 'webhook-timestamp'

/** The headers that are read to verify deliveries. */
export const proofHeaders: readonly string[] = [...Object.values(proofs), idHeader, timeHeader]

/** What a request has to prove, or undefined if it cannot be right whatever the secret is. */
export type Claim =
  /** One of the digests is that of the prefix and the body. */
  | { readonly kind: 'digest'; readonly digests: readonly Buffer[]; readonly prefix: string }
  | { readonly kind: 'token'; readonly token: string }

const longestToken = 1024
const longestSignatures = 1024
const mostSignatures = 4

/** Reads the proof of a delivery. Needs neither the body nor a secret. */
export function readClaim(provider: WebhookProvider, headers: WebhookHeaders): Claim | undefined {
  const value = headers[proofs[provider]]
  if (value === undefined || value === '') return undefined
  if (provider === 'generic') return genericClaim(value, headers)
  if (provider === 'gitlab') {
    return value.length > longestToken ? undefined : { kind: 'token', token: value }
  }
  const pattern = provider === 'github' ? /^sha256=([0-9a-f]{64})$/ : /^([0-9a-f]{64})$/
  const hex = pattern.exec(value)?.[1]
  if (hex === undefined) return undefined
  return { kind: 'digest', digests: [Buffer.from(hex, 'hex')], prefix: '' }
}

/** Several signatures, while the sender replaces its secret. Other versions than v1 are not HMAC-SHA256. */
function genericClaim(value: string, headers: WebhookHeaders): Claim | undefined {
  const { [idHeader]: id = '', [timeHeader]: time = '' } = headers
  // No identifier contains the separator, so that the parts cannot be divided in another way.
  if (!/^[\w:-]{1,100}$/.test(id) || !/^\d{1,12}$/.test(time)) return undefined
  const digests = (value.length > longestSignatures ? [] : value.split(' '))
    .map((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1])
    .filter((one) => one !== undefined)
    .slice(0, mostSignatures)
    .map((one) => Buffer.from(one, 'base64'))
  return digests.length === 0 ? undefined : { kind: 'digest', digests, prefix: `${id}.${time}.` }
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
  const given = claim.kind === 'digest' ? claim.digests : [mac(comparisonKey, claim.token)]
  let isFound = false
  for (const secret of secrets.length === 0 ? [decoy] : secrets) {
    const wanted =
      claim.kind === 'digest' ? mac(secret, claim.prefix, body) : mac(comparisonKey, secret)
    for (const one of given) {
      const isEqual = timingSafeEqual(wanted, one)
      isFound = isEqual || isFound
    }
  }
  return isFound && secrets.length > 0
}

function mac(key: Uint8Array, ...contents: readonly (Uint8Array | string)[]): Buffer {
  const hmac = createHmac('sha256', key)
  for (const content of contents) hmac.update(content)
  return hmac.digest()
}

/** How far the clocks of the sender and ours may be apart. */
const longestAgeMs = { linear: 60_000, generic: 300_000 } as const

/** Whether a delivery is from now: Linear has its time in the body, others in a header. The services have none. */
export function isTimely(
  provider: WebhookProvider,
  payload: object,
  now: Date,
  headers: WebhookHeaders = {},
): boolean {
  if (provider !== 'linear' && provider !== 'generic') return true
  const atMs =
    provider === 'linear'
      ? (payload as { readonly webhookTimestamp?: unknown }).webhookTimestamp
      : Number(headers[timeHeader]) * 1000
  return typeof atMs === 'number' && Math.abs(now.getTime() - atMs) <= longestAgeMs[provider]
}
