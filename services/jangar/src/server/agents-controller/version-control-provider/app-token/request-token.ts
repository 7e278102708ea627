/** What the service answered to an app that asks for a token. */
export type TokenAnswer =
  | { readonly kind: 'issued'; readonly token: string; readonly expiresAt: Date | undefined }
  /** It knows the app or installation not, or not any more: asking again soon is no use. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string }

export interface TokenRequest {
  /** Base address of the API. */
  readonly apiBaseUrl: string
  readonly installationId: string
  /** The app's word for who it is. */
  readonly assertion: string
  readonly signal: AbortSignal
}

/** Never throws but for the signal, and no message holds anything of what was sent or answered. */
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
    return { kind: 'unreachable', message: `the API does not answer (${codeOf(error)})` }
  }
}

const longestMs = 10_000
const largestAnswer = 65_536

function post(
  { apiBaseUrl, installationId, assertion }: TokenRequest,
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
    },
    // The assertion is for this address and no other.
    redirect: 'error',
    signal,
  })
}

function refusal(status: number): TokenAnswer {
  if (status === 429 || status >= 500) {
    return { kind: 'unreachable', message: `the API answers with HTTP ${status}` }
  }
  const why = refusals[status] ?? 'it does not want to'
  return { kind: 'refused', message: `the API refused a token with HTTP ${status}: ${why}` }
}

const refusals: Readonly<Record<number, string>> = {
  401: 'appId and private key do not belong together, or the clock is wrong',
  403: 'the app is suspended or may not do this',
  404: 'there is no such installation of the app',
}

function readAnswer(text: string): TokenAnswer {
  const answer = parsed(text)
  const { token, expires_at: expires } = answer ?? {}
  if (typeof token !== 'string' || token === '') {
    return { kind: 'unreachable', message: 'the API’s answer holds no token' }
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

/** No more than a token can be, whatever is sent. */
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

/** The system's word for it, which names no address. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return error.name
}
