import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import type { UserInfo } from '../../request/user-info.ts'
import { keyId } from '../pki/certificate.ts'

/**
 * The object that a token is bound to. The token becomes invalid when the object is deleted, even if it is recreated.
 */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node'
  readonly name: string
  readonly uid: string
}

interface TokenSubject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly bound?: BoundObject
}

interface IssuedToken {
  readonly token: string
  readonly expiresAt: Date
}

export interface VerifiedToken {
  readonly user: UserInfo
  /** The requested audiences that the token is valid for. */
  readonly audiences: readonly string[]
}

/** Looks up the current uids of the objects that tokens refer to. */
export interface TokenSubjects {
  serviceAccountUid(namespace: string, name: string): string | undefined
  boundObjectUid(namespace: string, bound: BoundObject): string | undefined
}

interface Claims {
  aud: string[]
  exp: number
  iat: number
  iss: string
  jti: string
  nbf: number
  sub: string
  'kubernetes.io': {
    namespace: string
    serviceaccount: { name: string; uid: string }
    pod?: { name: string; uid: string }
    secret?: { name: string; uid: string }
    node?: { name: string; uid: string }
  }
}

export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local'

const boundClaims = { Pod: 'pod', Secret: 'secret', Node: 'node' } as const

/** Signs and verifies service account tokens (ES256 JWTs) with the claims of Kubernetes. */
export interface ServiceAccountTokens {
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly keyId: string
  issue(
    subject: TokenSubject,
    options: { audiences: readonly string[]; seconds: number; now: Date },
  ): IssuedToken
  /** Decodes a token that this server signed, even if it is no longer valid. */
  audiencesOf(token: string): readonly string[] | undefined
  /** Returns `undefined` unless the token is valid and its service account exists. */
  verify(
    token: string,
    options: { audiences: readonly string[]; now: Date; subjects: TokenSubjects },
  ): VerifiedToken | undefined
}

export function serviceAccountTokens(
  privateKeyPem: string,
  issuer: string = defaultIssuer,
): ServiceAccountTokens {
  const privateKey = createPrivateKey(privateKeyPem)
  const publicKey = createPublicKey(privateKey)
  const kid = keyId(publicKey)
  return {
    issuer,
    publicKey,
    keyId: kid,
    issue(subject, { audiences, seconds, now }) {
      const claims = claimsFor(subject, issuer, audiences, seconds, now)
      const input = `${encode({ alg: 'ES256', kid })}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(input), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      })
      return {
        token: `${input}.${signature.toString('base64url')}`,
        expiresAt: new Date(claims.exp * 1000),
      }
    },
    audiencesOf: (token) => readClaims(token, publicKey)?.aud,
    verify(token, { audiences, now, subjects }) {
      const claims = readClaims(token, publicKey)
      if (claims === undefined || claims.iss !== issuer) return undefined
      const seconds = now.getTime() / 1000
      if (seconds >= claims.exp || seconds < claims.nbf) return undefined
      const granted = audiences.filter((audience) => claims.aud.includes(audience))
      if (granted.length === 0 || !isAlive(claims, subjects)) return undefined
      return { user: userOf(claims), audiences: granted }
    },
  }
}

export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

function claimsFor(
  { namespace, name, uid, bound }: TokenSubject,
  iss: string,
  audiences: readonly string[],
  lifetimeSeconds: number,
  now: Date,
): Claims {
  const issued = Math.floor(now.getTime() / 1000)
  return {
    aud: [...audiences],
    exp: issued + lifetimeSeconds,
    iat: issued,
    iss,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace,
      ...(bound ? { [boundClaims[bound.kind]]: { name: bound.name, uid: bound.uid } } : {}),
      serviceaccount: { name, uid },
    },
    nbf: issued,
    sub: serviceAccountUserName(namespace, name),
  }
}

/** Returns the claims if the signature is valid. The algorithm in the header is ignored. */
function readClaims(token: string, publicKey: KeyObject): Claims | undefined {
  const [header, body, signature, ...rest] = token.split('.')
  if (!header || !body || !signature || rest.length > 0) return undefined
  const good = verify(
    'sha256',
    Buffer.from(`${header}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!good) return undefined
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Partial<Claims>
  return hasLifetime(claims) ? (claims as Claims) : undefined
}

/** A token without an expiry was not issued by this server, even if its signature is valid, and is rejected. */
function hasLifetime({ exp, nbf, iat }: Partial<Claims>): boolean {
  return Number.isFinite(exp) && Number.isFinite(nbf) && Number.isFinite(iat)
}

function isAlive({ 'kubernetes.io': claims }: Claims, subjects: TokenSubjects): boolean {
  const { namespace, serviceaccount } = claims
  if (subjects.serviceAccountUid(namespace, serviceaccount.name) !== serviceaccount.uid)
    return false
  return Object.entries(boundClaims).every(([kind, claim]) => {
    const bound = claims[claim]
    if (bound === undefined) return true
    return (
      subjects.boundObjectUid(namespace, { kind: kind as BoundObject['kind'], ...bound }) ===
      bound.uid
    )
  })
}

function userOf(claims: Claims): UserInfo {
  const { namespace, serviceaccount, pod } = claims['kubernetes.io']
  return {
    name: claims.sub,
    uid: serviceaccount.uid,
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
      ...(pod
        ? {
            'authentication.kubernetes.io/pod-name': [pod.name],
            'authentication.kubernetes.io/pod-uid': [pod.uid],
          }
        : {}),
    },
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
