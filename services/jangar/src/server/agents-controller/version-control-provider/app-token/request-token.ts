/** The result of a request for an app token. */
export type TokenAnswer =
  | { readonly kind: 'issued'; readonly token: string; readonly expiresAt: Date | undefined }
  /** The service rejects the app or installation. Retrying soon would not help. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string }

interface TokenRequest {
  /** Base URL of the API. */
  readonly apiBaseUrl: string
  readonly installationId: string
  /** The JWT that authenticates the app. */
  readonly assertion: string
  /** If omitted, the token may do everything that the installation may. */
  readonly scope?: TokenScope
  readonly signal: AbortSignal
}

interface TokenScope {
  /** Names without the owner. */
  readonly repositories: readonly string[]
  readonly permissions: Readonly<Record<string, string>>
}

/** Throws only if the signal is aborted. Messages contain nothing of the request or response. */
export async function requestToken(request: TokenRequest): Promise<TokenAnswer> {
  const timeout = AbortSignal.timeout(longestMs)
  try {
    const response = await post(request, AbortSignal.any([request.signal, timeout]))
    if (!response.ok) {
      await response.body?.cancel()
      return refusal(response.status)
    }
    return readAnswer(await readText(response))
  } catch (error) {
    request.signal.throwIfAborted()
    return { kind: 'unreachable', message: `the API is not reachable (${codeOf(error)})` }
  }
}

const longestMs = 10_000
const largestAnswer = 65_536

function post(
  { apiBaseUrl, installationId, assertion, scope }: TokenRequest,
  signal: AbortSignal,
): Promise<Response> {
  const base = apiBaseUrl.replace(/\/+$/, '')
  return fetch(`${base}/app/installations/${installationId}/access_tokens`, {
    method: 'POST',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${assertion}`,
      'user-agent': 'agents-controller',
      'x-github-api-version': '2022-11-28',
      ...(scope && { 'content-type': 'application/json' }),
    },
    ...(scope && { body: JSON.stringify(scope) }),
    // The assertion must not be sent to another address.
    redirect: 'error',
    signal,
  })
}

function refusal(status: number): TokenAnswer {
  if (status === 429 || status >= 500) {
    return { kind: 'unreachable', message: `the API responded with HTTP ${status}` }
  }
  const why = refusals[status] ?? 'no reason was given'
  return { kind: 'refused', message: `the API refused to issue a token (HTTP ${status}): ${why}` }
}

const refusals: Readonly<Record<number, string>> = {
  401: 'the private key does not belong to appId, or the clock is wrong',
  403: 'the app is suspended or lacks permissions',
  404: 'the installation of the app does not exist',
  422: 'the app is not installed for the repository, or lacks a permission',
}

function readAnswer(text: string): TokenAnswer {
  const answer = parsed(text)
  const { token, expires_at: expires } = answer ?? {}
  if (typeof token !== 'string' || token === '') {
    return { kind: 'unreachable', message: 'the response of the API contains no token' }
  }
  const expiresAt = typeof expires === 'string' ? new Date(expires) : undefined
  const isTime = expiresAt !== undefined && !Number.isNaN(expiresAt.getTime())
  return { kind: 'issued', token, expiresAt: isTime ? expiresAt : undefined }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Reads at most `largestAnswer` bytes. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > largestAnswer) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The error code of the system, which contains no address. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error.name
}
