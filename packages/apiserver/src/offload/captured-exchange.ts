import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, Writable } from 'node:stream'
import type { ThreadRequest, ThreadResponse } from '../endpoints/request-thread.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Runs an HTTP handler without a connection and returns the response. */
export async function exchange(
  handle: Handle,
  { method, url, headers, body }: ThreadRequest,
): Promise<ThreadResponse> {
  const request = Object.assign(Readable.from([Buffer.from(body)], { objectMode: false }), {
    method,
    url,
    headers,
    complete: true,
  })
  const response = new CapturedResponse()
  const finished = new Promise<void>((resolve, reject) => {
    response.once('finish', resolve)
    response.once('error', reject)
    response.once('close', resolve)
  })
  await handle(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  await finished
  return response.captured()
}

/** The part of ServerResponse that the handlers use. */
class CapturedResponse extends Writable {
  statusCode = 200
  headersSent = false
  readonly #headers = new Map<string, string | readonly string[]>()
  readonly #chunks: Buffer[] = []

  setHeader(name: string, value: string | number | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), typeof value === 'number' ? String(value) : value)
    return this
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.headersSent = true
    this.#chunks.push(chunk)
    done()
  }

  captured(): ThreadResponse {
    return {
      status: this.statusCode,
      headers: [...this.#headers],
      body: Buffer.concat(this.#chunks),
    }
  }
}
