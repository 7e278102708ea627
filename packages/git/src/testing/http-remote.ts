import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'

/** What a server shows to be trusted, as PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

/** `git http-backend` behind a small server, with TLS or without, and what can go wrong with it. */
export class HttpRemote {
  readonly #server: Server | SecureServer
  readonly #root: string
  #port = 0
  /** The value of the Authorization header that is let in; undefined: everybody is. */
  authorization: string | undefined
  /** Whether reading needs no authorization, as in a public repository. */
  isPublic = false
  /**
   * What happens to requests: served, left without an answer, answered with this status, or cut after they were carried
   * out.
   */
  mode: 'serve' | 'hang' | 'cut-after' | number = 'serve'
  /** Whether it speaks the first version of the protocol, which serves refs but no other commits. */
  isOld = false
  /** Runs before a push is carried out. */
  beforePush: (() => Promise<void>) | undefined
  readonly requests: string[] = []

  constructor(repository: string, certificate?: ServingCertificate) {
    this.#root = dirname(repository)
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#handle(request, response)
    this.#server =
      certificate === undefined ? createServer(handle) : createSecureServer(certificate, handle)
  }

  get url(): string {
    const scheme = 'setSecureContext' in this.#server ? 'https' : 'http'
    return `${scheme}://127.0.0.1:${this.#port}/repository.git`
  }

  /** Shows another certificate from now on. */
  show(certificate: ServingCertificate): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(certificate)
  }

  /** Listens, at the same port as before. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1')
    this.requests.push(`${request.method} ${pathname}${search}`)
    if (this.mode === 'hang') return
    if (typeof this.mode === 'number') {
      response.writeHead(this.mode, { location: 'http://127.0.0.1:1/elsewhere' }).end()
      return
    }
    const isRead = !`${pathname}${search}`.includes('git-receive-pack')
    const isOpen = this.authorization === undefined || (this.isPublic && isRead)
    if (!isOpen && request.headers.authorization !== this.authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
      return
    }
    if (pathname.endsWith('/git-receive-pack')) await this.beforePush?.()
    this.#runBackend(request, response, pathname, search.slice(1))
  }

  #runBackend(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
  ): void {
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: this.#root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method ?? 'GET',
        PATH_INFO: path,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: this.isOld ? '' : String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'somebody',
        REMOTE_ADDR: '127.0.0.1',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.on('error', () => undefined)
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('close', () => {
      if (this.mode === 'cut-after' && path.endsWith('/git-receive-pack')) {
        response.destroy()
        return
      }
      answer(response, Buffer.concat(chunks))
    })
  }
}

function answer(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf('\r\n\r\n')
  for (const line of output.toString('latin1', 0, end).split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s)
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10)
    else if (name !== '') response.setHeader(name, value)
  }
  response.end(output.subarray(end + 4))
}
