import type { Clock } from '@agents/controller'
import type { Logger } from '@agents/log'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  ResponseBodyError,
} from 'openid-client'
import { ApiError } from '../api-error.ts'
import {
  type ClaimSettings,
  claimedIdentity,
  type Identity,
  RefusedIdentity,
} from './claimed-identity.ts'
import { IssuerUnreachable, issuerFetch } from './issuer-fetch.ts'
import type { SignInAttempt } from './sign-in-attempt.ts'

/** How people sign in at an OpenID provider. */
export interface OpenIdSettings extends ClaimSettings {
  readonly issuerUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  /** The authorities of the provider's certificate. If omitted, those of the system. */
  readonly caFile: string | undefined
  /** Where browsers find the console: `https://agents.example.com`. */
  readonly publicUrl: string
}

interface ProviderPorts {
  readonly clock: Clock
  readonly log: Logger
}

/** The page of the console that the provider sends browsers to. */
const returnPath = '/signed-in'
/** That after signing out, at which people can sign in again. */
const leftPath = '/'
/** Signing out of the console does not wait longer for a provider that does not answer. */
const longestSignOutMs = 3_000
/** The provider's metadata is read again after this time, so that a longer outage is reported at sign-in. */
const describedForMs = 60_000
/** Strangers could have the control plane flood the provider. */
const mostExchanges = 32

/** Signs people in by the authorization code flow with PKCE. */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings
  readonly #ports: ProviderPorts
  #described: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined
  #exchanges = 0

  constructor(settings: OpenIdSettings, ports: ProviderPorts) {
    this.#settings = settings
    this.#ports = ports
  }

  get issuerUrl(): string {
    return this.#settings.issuerUrl
  }

  /** The address at which the person signs in. */
  async addressFor({ state, nonce, verifier }: SignInAttempt): Promise<string> {
    const { publicUrl, scopes } = this.#settings
    const configuration = await this.#configuration().catch((error: unknown) => {
      throw this.#failureOf(error)
    })
    const address = buildAuthorizationUrl(configuration, {
      redirect_uri: publicUrl + returnPath,
      response_type: 'code',
      scope: [...new Set(['openid', ...scopes])].join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    // The browser opens it: the provider's description must not lead elsewhere than to a page with TLS.
    if (address.protocol !== 'https:') throw unavailable('the OpenID provider has no valid address')
    return address.href
  }

  /**
   * The address at which the person signs out of the provider, too. Undefined if the provider has none or does not
   * answer. No ID token was kept as a hint, so the provider may ask whether the person means it.
   */
  async signOutAddress(username: string): Promise<string | undefined> {
    const { publicUrl, usernamePrefix } = this.#settings
    const enough = AbortSignal.timeout(longestSignOutMs)
    const late = new Promise<undefined>((resolve) => {
      enough.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    try {
      const configuration = await Promise.race([this.#configuration(), late])
      if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined
      // Throws for an address without TLS.
      return buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: publicUrl + leftPath,
        ...(username.startsWith(usernamePrefix) && {
          logout_hint: username.slice(usernamePrefix.length),
        }),
      }).href
    } catch (error) {
      // The session has ended in any case.
      this.#failureOf(error)
      return undefined
    }
  }

  /** Who signed in, by the query with which the provider sent the browser back. */
  async identityFrom(query: string, { state, nonce, verifier }: SignInAttempt): Promise<Identity> {
    if (this.#exchanges >= mostExchanges) {
      const message = 'too many people sign in at this moment; try again'
      throw new ApiError('TooManyRequests', message, { retryAfterMs: 1_000 })
    }
    this.#exchanges += 1
    try {
      const back = new URL(this.#settings.publicUrl + returnPath)
      back.search = query
      // Before the provider is asked anything.
      if (back.searchParams.getAll('state').join() !== state) throw notOurs()
      const tokens = await authorizationCodeGrant(await this.#configuration(), back, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      return claimedIdentity(tokens.claims() ?? {}, this.#settings)
    } catch (error) {
      throw this.#failureOf(error)
    } finally {
      this.#exchanges -= 1
    }
  }

  #configuration(): Promise<Configuration> {
    const now = this.#ports.clock.elapsed()
    if (this.#described !== undefined && now < this.#described.until) {
      return this.#described.configuration
    }
    const { issuerUrl, clientId, clientSecret, caFile } = this.#settings
    const configuration = discovery(
      new URL(issuerUrl),
      clientId,
      undefined,
      clientAuthentication(clientSecret),
      {
        [customFetch]: issuerFetch(caFile),
        // Without it, an ID token is trusted because it came by TLS, whoever signed it.
        execute: [enableNonRepudiationChecks],
      },
    )
    const described = { configuration, until: now + describedForMs }
    this.#described = described
    configuration.catch(() => {
      if (this.#described === described) this.#described = undefined
    })
    return configuration
  }

  /** What the person may see. The error itself may contain tokens, so neither log nor answer has it. */
  #failureOf(error: unknown): ApiError {
    const { log } = this.#ports
    if (error instanceof ApiError) return error
    if (error instanceof RefusedIdentity) {
      log.warn('sign-in refused', { reason: error.message })
      return new ApiError('Forbidden', `you cannot sign in: ${error.message}`)
    }
    if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
      const reason = plainWord(error.error)
      log.warn('sign-in refused by the provider', { reason })
      const isSettings = reason === 'invalid_client' || reason === 'unauthorized_client'
      return isSettings
        ? unavailable('the OpenID provider does not accept the client id or secret')
        : new ApiError('Unauthenticated', `the OpenID provider refused to sign you in: ${reason}`)
    }
    if (isUnreachable(error)) {
      const reason = causeOf(error)
      log.warn('OpenID provider does not answer', { reason })
      return unavailable('the OpenID provider does not answer; try again')
    }
    const reason = error instanceof ClientError ? `${error.message} (${error.code})` : nameOf(error)
    log.warn('sign-in failed', { reason })
    return new ApiError(
      'Unauthenticated',
      'the answer of the OpenID provider is not valid; sign in again',
    )
  }
}

/** HTTP Basic is what providers have to support, unless they say otherwise. */
function clientAuthentication(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const chosen = supported.includes('client_secret_basic') ? basic : post
    return chosen(server, client, body, headers)
  }
}

function notOurs(): ApiError {
  return new ApiError(
    'Unauthenticated',
    'this browser did not begin this sign-in, or began another one since; sign in again',
  )
}

function unavailable(message: string): ApiError {
  return new ApiError('Unavailable', message, { retryAfterMs: 5_000 })
}

const serverFailures = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_TIMEOUT', 'OAUTH_ABORT'])

function isUnreachable(error: unknown): boolean {
  if (unreachable(error) !== undefined) return true
  return error instanceof ClientError && serverFailures.has(error.code ?? '')
}

/** The library wraps errors of requests. */
function unreachable(error: unknown): IssuerUnreachable | undefined {
  if (error instanceof IssuerUnreachable) return error
  return error instanceof Error && error.cause !== undefined ? unreachable(error.cause) : undefined
}

function causeOf(error: unknown): string {
  const found = unreachable(error)
  const { message = 'no valid answer', cause } = found ?? {}
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

/** An error code of OAuth. Other text of a provider is not repeated. */
function plainWord(code: string): string {
  return /^[a-z_]{1,40}$/.test(code) ? code : 'no reason given'
}
