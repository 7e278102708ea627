import { createHash } from 'node:crypto'
import { ForgeError, isForgeError } from '../forge-error.ts'
import { Fields } from '../reading/fields.ts'
import { boundedBody } from './bounded-body.ts'
import { failure, unreachable } from './failure.ts'
import type { ResponseMemory } from './response-memory.ts'

export interface ForgeAccess {
  /** Base URL of the API, which may have a path. */
  readonly baseUrl: string
  readonly token: string
  /** If omitted, every response is requested in full. */
  readonly memory?: ResponseMemory | undefined
  /** Time limit of one request. If omitted, 15 seconds. */
  readonly timeoutMs?: number | undefined
}

export interface ForgeRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  /** Begins with a slash; values in it are encoded. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>
  readonly body?: object
  /** It changes nothing although it is not a GET, such as a query in GraphQL. */
  readonly isRead?: boolean
  readonly signal: AbortSignal
}

interface Answer {
  readonly body: unknown
  readonly link: string | null
  /** Of the text. */
  readonly size: number
}

/** JSON over HTTP as the services ask for it: bounded, conditional, patient, and with the token for one host only. */
export class ForgeHttp {
  readonly #access: ForgeAccess
  readonly #headers: Readonly<Record<string, string>>
  readonly #identity: string

  constructor(access: ForgeAccess, headers: Readonly<Record<string, string>>) {
    this.#access = access
    this.#headers = { 'user-agent': 'agents-controller', ...headers }
    // Others may see less with their token.
    this.#identity = createHash('sha256').update(access.token).digest('base64url')
  }

  async json(request: ForgeRequest): Promise<unknown> {
    return (await this.#answer(request, this.#url(request))).body
  }

  /** One page of a list whose pages are requested in another way, and the size of all so far. */
  async page(request: ForgeRequest, sizeBefore: number): Promise<Pick<Answer, 'body' | 'size'>> {
    const { body, size } = await this.#answer(request, this.#url(request))
    return { body, size: listSize(sizeBefore + size) }
  }

  /** All pages of a list, up to a limit. With `member`, a page is an object that has the items there, and `next`. */
  async pages(request: ForgeRequest, mostPages = 20, member?: string): Promise<unknown[]> {
    const items: unknown[] = []
    let url: URL | undefined = this.#url(request)
    let total = 0
    for (let at = 0; url !== undefined && at < mostPages; at++) {
      const { body, link, size }: Answer = await this.#answer(request, url)
      total = listSize(total + size)
      const page = member === undefined ? undefined : new Fields(body)
      const list = page === undefined ? body : page.list(member ?? '')
      if (!Array.isArray(list)) {
        throw new ForgeError('garbled', 'the response of the API is not a list')
      }
      for (const item of list) items.push(item)
      url = sameHost(page === undefined ? nextLink(link) : page.textOrEmpty('next'), url)
    }
    return items
  }

  #url({ path, query = {} }: ForgeRequest): URL {
    const base = this.#access.baseUrl.replace(/\/+$/, '')
    const url = URL.parse(`${base}${path}`)
    if (url === null) throw new ForgeError('invalid', 'the URL of the API is not valid')
    for (const [name, value] of Object.entries(query)) {
      const values = typeof value === 'object' ? value : value === undefined ? [] : [value]
      for (const one of values) url.searchParams.append(name, String(one))
    }
    return url
  }

  async #answer(request: ForgeRequest, url: URL): Promise<Answer> {
    const { method = 'GET', isRead = method === 'GET', signal } = request
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(request, url)
      } catch (error) {
        signal.throwIfAborted()
        // A write may have been carried out although no response came back.
        const isWorthwhile = isRead && attempt < attempts
        if (!isWorthwhile || !isForgeError(error, 'unreachable')) throw error
        await pause(Math.min(error.retryAfterMs ?? 0, longestPauseMs) || attempt * pauseMs, signal)
      }
    }
  }

  async #once(request: ForgeRequest, first: URL): Promise<Answer> {
    const { memory } = this.#access
    const isRead = (request.method ?? 'GET') === 'GET'
    const key = `${this.#identity} ${first.href}`
    const known = isRead ? memory?.get(key) : undefined
    const { response, text } = await this.#sent(request, first, known?.etag)
    const { status, headers } = response
    if (status === 304 && known !== undefined) return known
    if (!response.ok) throw failure(status, headers, text, new Date())
    if (status === 204 || text === '') return { body: undefined, link: null, size: 0 }
    const answer = { body: parsed(text, status), link: headers.get('link'), size: text.length }
    const etag = headers.get('etag')
    if (isRead && etag !== null && text.length <= largestRemembered) {
      memory?.set(key, { etag, ...answer })
    }
    return answer
  }

  async #sent(
    { method = 'GET', body, signal }: ForgeRequest,
    first: URL,
    etag: string | undefined,
  ): Promise<{ response: Response; text: string }> {
    const { timeoutMs = 15_000 } = this.#access
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    let url = first
    try {
      for (let hops = 0; ; hops++) {
        const response = await fetch(url, {
          method,
          headers: {
            ...this.#headers,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(etag !== undefined && { 'if-none-match': etag }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          redirect: 'manual',
          signal: limit,
        })
        const next = redirectOf(response, method, url)
        if (next === undefined || hops === mostHops) {
          return { response, text: (await boundedBody(response)).toString('utf8') }
        }
        await response.body?.cancel()
        url = next
      }
    } catch (error) {
      signal.throwIfAborted()
      throw isForgeError(error) ? error : unreachable(error)
    }
  }
}

const attempts = 3
const pauseMs = 250
const longestPauseMs = 2000
const mostHops = 3
const largestRemembered = 256 * 1024
/** Of all pages together. */
const largestList = 32 * 1024 * 1024

function listSize(size: number): number {
  if (size <= largestList) return size
  throw new ForgeError('garbled', `the list of the API is larger than ${largestList} bytes`)
}

/** A renamed repository is elsewhere on the same host. Another host must never get the token. */
function redirectOf({ status, headers }: Response, method: string, from: URL): URL | undefined {
  const isKept = status === 307 || status === 308
  const isRead = method === 'GET' && (status === 301 || status === 302)
  const location = headers.get('location')
  if ((!isKept && !isRead) || location === null) return undefined
  const to = URL.parse(location, from)
  return to !== null && to.origin === from.origin ? to : undefined
}

function nextLink(link: string | null): string {
  return /<([^<>]+)>\s*;[^,]*\brel="?next"?/.exec(link ?? '')?.[1] ?? ''
}

/** Behind a proxy some services write another scheme or host into links; the query is what counts. */
function sameHost(target: string, from: URL): URL | undefined {
  const to = target === '' ? null : URL.parse(target, from)
  if (to === null) return undefined
  const next = new URL(from)
  next.search = to.search
  return next.href === from.href ? undefined : next
}

/** Errors of the parser quote the text, which must not be shown. */
function parsed(text: string, status: number): unknown {
  const value = jsonOf(text)
  if (value !== undefined) return value
  throw new ForgeError('garbled', 'the response of the API is not JSON', { status })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
