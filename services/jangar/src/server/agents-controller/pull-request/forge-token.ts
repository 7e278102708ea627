import type { VersionControlProvider } from '@agents/jangar-api'
import { type KubeClient, SecretKind } from '@agents/kube'
import {
  appAssertion,
  readPrivateKey,
} from '../version-control-provider/app-token/app-assertion.ts'
import { requestToken } from '../version-control-provider/app-token/request-token.ts'
import { type AppSignIn, readSignIn } from '../version-control-provider/sign-in.ts'

export type TokenFound =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'problem'; readonly message: string }

interface Question {
  readonly provider: VersionControlProvider
  /** `owner/name`. */
  readonly repository: string
  readonly apiBaseUrl: string
  readonly now: Date
  readonly signal: AbortSignal
}

export type ForgeTokens = (question: Question) => Promise<TokenFound>

/** Sets of permissions of an app's token. The second is asked for if the app has not got the first. */
type Permissions = readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>?]

/** Checks of commits are shown where the app may read them. */
const ofPullRequests: Permissions = [
  { pull_requests: 'write', checks: 'read', statuses: 'read' },
  { pull_requests: 'write' },
]

/** Merging writes to the base branch. */
export const ofMerging: Permissions = [{ contents: 'write', pull_requests: 'write' }]

/**
 * The token for requests about one repository. That of an app is for this repository and has these permissions only,
 * and is kept in memory for as long as it is valid.
 */
export function forgeTokens(
  client: Pick<KubeClient, 'get'>,
  permissions: Permissions = ofPullRequests,
): ForgeTokens {
  const minted = new Map<string, { token: string; untilMs: number }>()
  return async (question) => {
    const { provider, now, signal } = question
    const { namespace, uid = '' } = provider.metadata
    const read = readSignIn(provider.spec)
    if ('problem' in read) return problem(read.problem.message)
    const { signIn } = read
    if (signIn.method !== 'token' && signIn.method !== 'app') return problem('there is no token')
    const { name, key } = signIn.method === 'token' ? signIn.secret : signIn.privateKey
    const secret = await client.get(SecretKind, { namespace, name }, { signal })
    const value = Buffer.from(secret.data?.[key] ?? '', 'base64')
      .toString()
      .trim()
    if (value === '') return problem(`key ${key} of Secret ${name} is empty`)
    if (signIn.method === 'token') return { kind: 'token', token: value }
    const { repository, apiBaseUrl } = question
    const purpose = [
      uid,
      apiBaseUrl,
      repository,
      signIn.installationId,
      secret.metadata.resourceVersion,
    ]
    const held = JSON.stringify(purpose)
    const known = minted.get(held)
    if (known !== undefined && now.getTime() < known.untilMs) {
      return { kind: 'token', token: known.token }
    }
    for (const [one, { untilMs }] of minted) if (untilMs <= now.getTime()) minted.delete(one)
    const answer = await mint(question, signIn, value, permissions)
    if (answer.kind !== 'issued') return problem(answer.message)
    const lifeMs = (answer.expiresAt?.getTime() ?? 0) - now.getTime()
    minted.set(held, {
      token: answer.token,
      untilMs: now.getTime() + Math.max(0, lifeMs - marginMs),
    })
    return { kind: 'token', token: answer.token }
  }
}

const marginMs = 300_000

async function mint(
  { repository, apiBaseUrl, now, signal }: Question,
  { appId, installationId }: AppSignIn,
  pem: string,
  [all, least]: Permissions,
) {
  const privateKey = readPrivateKey(pem)
  if (!privateKey) return { kind: 'refused', message: 'the private key is not valid' } as const
  const assertion = appAssertion(appId, privateKey, now)
  const request = { apiBaseUrl, installationId, assertion, signal }
  const repositories = [repository.slice(repository.indexOf('/') + 1)]
  const answer = await requestToken({ ...request, scope: { repositories, permissions: all } })
  if (answer.kind !== 'refused' || least === undefined) return answer
  return requestToken({ ...request, scope: { repositories, permissions: least } })
}

function problem(message: string): TokenFound {
  return { kind: 'problem', message }
}
