import type { IncomingMessage } from 'node:http'
import { ApiError } from '../api/api-error.ts'

/** Which browsers are served. */
export interface Browsers {
  /** Where the console is found: `https://agents.example`. The first one counts for the name of the cookie. */
  readonly origins: (request: IncomingMessage) => readonly string[]
  /** Whether programs may use other names of the server, such as that of a Service. Browsers may not. */
  readonly hasOtherNames?: boolean
}

/** What a browser sends with each request of a session. */
export interface BrowserRequest {
  readonly cookieName: string
  /** The value of the cookie. */
  readonly id: string | undefined
  readonly proof: string | undefined
  /** Binds a sign-in at an OpenID provider to the browser that began it. */
  readonly attemptCookie: { readonly name: string; readonly value: string | undefined }
}

/** With the proof that the page is that of the session. Forms and links of other sites cannot send it. */
const proofHeader = 'x-agents-session'

/** A platform on this machine. The port is that of the connection, which no header can change. */
export function loopbackOrigins({ socket }: IncomingMessage): readonly string[] {
  return ['127.0.0.1', 'localhost'].map((host) => `https://${host}:${socket.localPort}`)
}

/** Whether the request belongs to a session, or claims to. */
export function claimsSession(request: IncomingMessage, browsers: Browsers): boolean {
  if (request.headers[proofHeader] !== undefined) return true
  return (request.headers.cookie ?? '').includes(`${cookieNameOf(request, browsers)}=`)
}

/** Throws `Forbidden` unless the request comes from a page of the console. */
export function readBrowserRequest(request: IncomingMessage, browsers: Browsers): BrowserRequest {
  const { method = 'GET', headers } = request
  const own = `https://${headers.host}`
  // A name of an attacker that leads here by DNS is not ours.
  if (!browsers.origins(request).includes(own)) throw refused('this host is not served')
  const changes = method !== 'GET' && method !== 'HEAD'
  const { origin, 'sec-fetch-site': site } = headers
  if (origin === undefined ? changes : origin !== own)
    throw refused('the origin is not the console')
  if (site !== undefined && site !== 'same-origin') throw refused('the page is not the console')
  const cookieName = cookieNameOf(request, browsers)
  const attemptName = `${cookieName}-sign-in`
  const proof = headers[proofHeader]
  return {
    cookieName,
    id: cookieValue(headers.cookie, cookieName),
    proof: Array.isArray(proof) ? undefined : proof,
    attemptCookie: { name: attemptName, value: cookieValue(headers.cookie, attemptName) },
  }
}

/**
 * Throws `Forbidden` for a page of another origin, or for a name of an attacker that leads here by DNS. Programs send
 * no origin. Where no browsers are served, every page is a stranger.
 */
export function refuseOtherOrigins(request: IncomingMessage, browsers: Browsers | undefined): void {
  const own = browsers?.origins(request)
  const { origin, host } = request.headers
  const isOwnHost = own?.includes(`https://${host}`) ?? true
  if (!isOwnHost && !(browsers?.hasOtherNames && origin === undefined))
    throw refused('this host is not served')
  if (origin !== undefined && origin !== `https://${host}`)
    throw refused('the origin is not served')
  if (origin !== undefined && own === undefined) throw refused('the origin is not served')
}

/** The header that gives the cookie to a browser, or takes it away if the value is empty. */
export function setCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Strict`
}

/** With the port: browsers share cookies between the ports of a host, where another platform may have its own. */
function cookieNameOf(request: IncomingMessage, browsers: Browsers): string {
  const { port } = new URL(browsers.origins(request)[0] ?? 'https://localhost')
  return `__Host-agents-${port === '' ? '443' : port}`
}

/** Undefined if the cookie is missing or there are several, of which a proxy might read another. */
function cookieValue(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}

function refused(what: string): ApiError {
  return new ApiError('Forbidden', `${what}; sessions are for the console's own pages`)
}
