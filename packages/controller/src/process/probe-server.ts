import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '@agents/log'
import { whenAborted } from '../abort/when-aborted.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { askHealth, type HealthCheck } from './health-checks.ts'
import type { Runnable } from './runnable.ts'

// Importing it by name would load WebSocket and fetch, megabytes that a controller never uses.
const { createServer } = process.getBuiltinModule('node:http')

interface ProbeServerOptions {
  readonly host?: string
  /** 0 picks a free port. */
  readonly port: number
  readonly log: Logger
  readonly metrics?: Pick<Metrics, 'render' | 'contentType'>
  /** Default `/metrics`. */
  readonly metricsPath?: string
  /** The timeout for the checks of one request. Default 5 s. */
  readonly timeoutMs?: number
}

/** `/healthz`, `/livez`, `/readyz` with named checks, and metrics. */
export class ProbeServer implements Runnable {
  readonly name = 'probe server'
  readonly live = new Map<string, HealthCheck>([['ping', () => undefined]])
  readonly ready = new Map<string, HealthCheck>([['ping', () => undefined]])
  readonly #options: ProbeServerOptions
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  constructor(options: ProbeServerOptions) {
    this.#options = options
  }

  /** Available once the server listens. */
  get port(): number {
    const address = this.#server.address() as AddressInfo | null
    if (!address) throw new Error('the probe server is not listening')
    return address.port
  }

  async start(): Promise<void> {
    const { port, host } = this.#options
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ port, ...(host !== undefined && { host }) }, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    await whenAborted(signal)
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { code, type, body } = await this.#respond(request).catch((error: unknown) => {
      this.#options.log.error('probe failed', { error })
      return { code: 500, type: plain, body: 'internal error\n' }
    })
    response.writeHead(code, {
      'content-type': type,
      'cache-control': 'no-cache, private',
      'x-content-type-options': 'nosniff',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  async #respond({ method, url = '/' }: IncomingMessage) {
    if (method !== 'GET' && method !== 'HEAD') {
      return { code: 405, type: plain, body: 'method not allowed\n' }
    }
    // Node accepts invalid paths such as `//`.
    const requested = URL.parse(url, 'http://localhost')
    if (requested === null) return notFound
    const { pathname, searchParams } = requested
    const { metrics, metricsPath = '/metrics' } = this.#options
    if (metrics && pathname === metricsPath) {
      return { code: 200, type: metrics.contentType, body: await metrics.render() }
    }
    const [, endpoint = '', only, ...rest] = pathname.split('/')
    const checks = this.#checksOf(endpoint)
    if (!checks || rest.length > 0) return notFound
    const { timeoutMs = 5_000, log } = this.#options
    const question = {
      endpoint,
      only: only === '' ? undefined : only,
      verbose: searchParams.has('verbose'),
      exclude: searchParams.getAll('exclude'),
    }
    const answer = await askHealth(
      checks,
      question,
      AbortSignal.timeout(timeoutMs),
      (name, error) => log.warn('health check failed', { endpoint, check: name, error }),
    )
    return { ...answer, type: plain }
  }

  #checksOf(endpoint: string): ReadonlyMap<string, HealthCheck> | undefined {
    if (endpoint === 'readyz') return this.ready
    return endpoint === 'healthz' || endpoint === 'livez' ? this.live : undefined
  }
}

const plain = 'text/plain; charset=utf-8'
const notFound = { code: 404, type: plain, body: '404 page not found\n' }
