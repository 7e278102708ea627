/** What the API answers instead of a result, or why there is no answer. */
export class ApiFailure extends Error {
  override name = 'ApiFailure'
  /** 0 if no answer arrived. */
  readonly status: number
  /** The code of the API, such as `Forbidden`. `Unreachable` if no answer arrived. */
  readonly code: string
  readonly retryAfterMs: number | undefined

  constructor(
    { status, code, message, retryAfterMs }: FailureFacts,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options)
    this.status = status
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

interface FailureFacts {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly retryAfterMs?: number | undefined
}

/** The failure that a response describes: `{"ok": false, "code", "error"}`, or that of a proxy in between. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const { status } = response
  const body: unknown = await response.json().catch(() => undefined)
  const { code, error } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly code?: unknown
    readonly error?: unknown
  }
  return new ApiFailure({
    status,
    code: typeof code === 'string' ? code : `Http${status}`,
    message: typeof error === 'string' ? error : `the server answered with status ${status}`,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
  })
}

function retryAfterMs(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined
}
