import { type GateContext, type GateOf, pass, stall, wait } from '@agents/controller'
import type { VersionControlProvider, versionControlProviderConditions } from '@agents/jangar-api'
import { formatKey, SecretKind } from '@agents/kube'
import type { AgentsPorts } from '../../ports.ts'
import { appAssertion, readPrivateKey } from '../app-token/app-assertion.ts'
import { requestToken, type TokenAnswer } from '../app-token/request-token.ts'
import { issuedFor, type KeptToken, TokenVault } from '../app-token/token-vault.ts'
import { type AppSignIn, readSignIn } from '../sign-in.ts'
import { mintedTokenSecret } from '../vcs-token-secret.ts'

type TokenIssued = GateOf<
  typeof versionControlProviderConditions,
  'TokenIssued',
  VersionControlProvider
>
type Verdict = Awaited<ReturnType<TokenIssued['check']>>

/** Maintains a valid app token in the provider's Secret. */
export function tokenIssued({ client, caches, log }: AgentsPorts): TokenIssued {
  const vault = new TokenVault(client, caches.secrets)

  /** Undefined if the Secret contains no valid private key. */
  const ask = async (
    provider: VersionControlProvider,
    app: AppSignIn,
    { now, signal }: GateContext,
  ): Promise<(TokenAnswer & { readonly purpose: string }) | undefined> => {
    const { namespace } = provider.metadata
    const { name, key } = app.privateKey
    const secret = await client.get(SecretKind, { namespace, name }, { signal })
    const privateKey = readPrivateKey(Buffer.from(secret.data?.[key] ?? '', 'base64').toString())
    if (!privateKey) return undefined
    const answer = await requestToken({
      apiBaseUrl: apiBaseUrlOf(provider),
      installationId: app.installationId,
      assertion: appAssertion(app.appId, privateKey, now),
      signal,
    })
    return { ...answer, purpose: purposeOf(provider, app, secret.metadata.resourceVersion) }
  }

  const renew = async (
    provider: VersionControlProvider,
    app: AppSignIn,
    held: KeptToken | undefined,
    context: GateContext,
  ): Promise<Verdict> => {
    const { now, signal } = context
    const answer = await ask(provider, app, context)
    if (answer?.kind === 'issued') {
      const { token, purpose } = answer
      const expiresAt = answer.expiresAt ?? new Date(now.getTime() + app.tokenTtlSeconds * 1000)
      const issued = { token, issuedFor: purpose, issuedAt: now, expiresAt }
      const kept = await vault.keep(provider, issued, signal)
      log.info('app token issued', { provider: formatKey(provider.metadata), expiresAt })
      return good(provider, kept.refreshAt.getTime() - now.getTime())
    }
    if (answer && held && now < held.expiresAt) return good(provider, retryMs)
    // Runs assume that an existing token is valid.
    await vault.drop(provider, signal)
    return answer ? notIssued(answer) : noPrivateKey(app)
  }

  return {
    condition: 'TokenIssued',
    check: async (provider, _detail, context) => {
      const read = readSignIn(provider.spec)
      if (!('signIn' in read) || read.signIn.method !== 'app') {
        await vault.drop(provider, context.signal)
        return pass('NotRequired', 'no token is required')
      }
      const app = read.signIn
      const { namespace } = provider.metadata
      const secret = caches.secrets.get(formatKey({ namespace, name: app.privateKey.name }))
      const purpose = purposeOf(provider, app, secret?.metadata.resourceVersion)
      const kept = vault.kept(provider)
      const held = kept?.issuedFor === purpose ? kept : undefined
      const leftMs = (held?.refreshAt.getTime() ?? 0) - context.now.getTime()
      return leftMs > 0 ? good(provider, leftMs) : renew(provider, app, held, context)
    },
  }
}

/** A refusal is corrected outside the cluster, which causes no event here. */
const retryRefusedMs = 300_000
const retryMs = 30_000

/** The message contains no times: otherwise each new token would change the status and cause events. */
function good(provider: VersionControlProvider, recheckAfterMs: number): Verdict {
  const { name } = mintedTokenSecret(provider)
  return pass(
    'Issued',
    `Secret ${name} contains a valid token, which is renewed before it expires`,
    {
      recheckAfterMs,
    },
  )
}

function notIssued({ kind, message }: Exclude<TokenAnswer, { readonly kind: 'issued' }>): Verdict {
  return kind === 'refused'
    ? wait('TokenRefused', message, retryRefusedMs)
    : wait('ServiceUnreachable', message, retryMs)
}

function noPrivateKey({ privateKey: { name, key } }: AppSignIn): Verdict {
  return stall(
    'InvalidPrivateKey',
    `key ${key} of Secret ${name} is not a valid RSA private key (PEM)`,
  )
}

/** Identifies what a token depends on: a change of app, installation, address or key requires a new token. */
function purposeOf(
  provider: VersionControlProvider,
  { appId, installationId, privateKey }: AppSignIn,
  keyVersion: string | undefined,
): string {
  const { name, key } = privateKey
  return issuedFor(apiBaseUrlOf(provider), appId, installationId, name, key, keyVersion ?? '')
}

/** Only GitHub supports apps. */
function apiBaseUrlOf({ spec }: VersionControlProvider): string {
  return spec.apiBaseUrl ?? 'https://api.github.com'
}
