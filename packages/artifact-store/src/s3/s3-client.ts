import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from '../store-error.ts'
import { isTemporary, refusal } from './s3-answer.ts'
import type { S3Settings } from './s3-settings.ts'
import { percentEncoded, sha256Hex, signatureHeaders } from './sign-request.ts'

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without it, the request is about the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** Statuses that the caller understands, beside success. */
  readonly expected?: readonly number[]
}

/** Sends a request until it succeeds, tries are used up, or the answer is final. */
export type S3Client = (request: S3Request) => Promise<Response>

const tries = 4
const firstPauseMs = 200
/** Until the answer begins: an answer's body may take as long as it moves. */
const answerTimeoutMs = 60_000

export function createS3Client(settings: S3Settings, pauseMs = firstPauseMs): S3Client {
  return async (request) => {
    const what = `${request.method} ${request.key ?? `bucket ${settings.bucket}`} at ${settings.endpoint}`
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(settings, request, what)
      const isLast = attempt === tries
      if (answer instanceof StoreError) {
        if (isLast) throw answer
      } else if (answer.ok || request.expected?.includes(answer.status)) {
        return answer
      } else if (isLast || !isTemporary(answer.status)) {
        throw await refusal(answer, what)
      } else {
        await answer.body?.cancel()
      }
      await sleep(pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()))
    }
  }
}

async function send(
  settings: S3Settings,
  { method, key, query = {}, body }: S3Request,
  what: string,
): Promise<Response | StoreError> {
  const url = addressOf(settings, key)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const payloadSha256 = sha256Hex(body ?? '')
  const headers = signatureHeaders({ method, url, payloadSha256, now: new Date() }, settings)
  // As it is signed: URLSearchParams encodes a blank as a plus.
  url.search = url.search.replaceAll('+', '%20')
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), answerTimeoutMs)
  try {
    // A redirect would send what is signed for one host to another.
    const init = { method, headers, redirect: 'manual', signal: timeout.signal } as const
    return await fetch(url, body === undefined ? init : { ...init, body })
  } catch (cause) {
    const code = codeOf(cause)
    return new StoreError('Unavailable', `${what}: ${code}`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

function addressOf({ endpoint, bucket, pathStyle }: S3Settings, key: string | undefined): URL {
  const url = new URL(endpoint)
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  const names = [...(pathStyle ? [bucket] : []), ...(key === undefined ? [] : key.split('/'))]
  url.pathname = `/${names.map(percentEncoded).join('/')}`
  return url
}

function codeOf(error: unknown): string {
  const { name, cause } = error as Error
  if (name === 'AbortError') return `no answer in ${answerTimeoutMs / 1000} s`
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException
  return code ?? message
}
