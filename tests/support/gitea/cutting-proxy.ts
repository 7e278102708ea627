import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request, and whether the service gets it before the connection is cut. */
export interface Cut {
  readonly method: string
  readonly path: RegExp
  readonly moment: 'before' | 'after'
  /** Called at that moment. */
  readonly act: () => Promise<void>
}

export interface CuttingProxy {
  readonly url: string
  /** Requests that reached the service, as `METHOD path`. */
  readonly served: string[]
  /** The next matching request is cut, once. Resolves when that has happened. */
  cutOnce(cut: Cut): Promise<void>
  close(): void
}

const transfer = ['content-encoding', 'content-length', 'transfer-encoding', 'connection']

/**
 * Passes requests on to a service, and can cut the connection before or after the service has acted. `answers`, by
 * paths, are given in place of the service.
 */
export async function startCuttingProxy(
  target: string,
  answers: Readonly<Record<string, object>> = {},
): Promise<CuttingProxy> {
  const served: string[] = []
  let pending: { cut: Cut; done: () => void } | undefined
  const taken = (request: IncomingMessage) => {
    const { method = '', url = '' } = request
    const found = pending
    if (found === undefined || method !== found.cut.method || !found.cut.path.test(url)) return
    pending = undefined
    return found
  }
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answered = answers[url]
    if (answered !== undefined) {
      response.end(JSON.stringify(answered))
      return
    }
    const found = taken(request)
    if (found?.cut.moment === 'before') {
      await found.cut.act()
      response.destroy()
      found.done()
      return
    }
    try {
      const { host: _, connection: __, ...rest } = headers
      const answer = await fetch(`${target}${url}`, {
        method,
        headers: rest as Record<string, string>,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      const body = Buffer.from(await answer.arrayBuffer())
      served.push(`${method} ${url}`)
      if (found !== undefined) {
        await found.cut.act()
        response.destroy()
        found.done()
        return
      }
      // What describes the transfer is not that of the answer as a whole.
      const shown = [...answer.headers].filter(([name]) => !transfer.includes(name))
      response.writeHead(answer.status, Object.fromEntries(shown)).end(body)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    cutOnce: (cut) =>
      new Promise((resolve) => {
        pending = { cut, done: resolve }
      }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
