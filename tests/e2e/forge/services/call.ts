import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { ServiceCalls } from './services.ts'

type Call = (...args: readonly unknown[]) => Promise<unknown>

/** Serves the calls to other processes of the test. */
export async function serveCalls(
  calls: ServiceCalls,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (incoming, response) => {
    const name = (incoming.url ?? '').slice(1) as keyof ServiceCalls
    try {
      const result = await (calls[name] as Call)(...JSON.parse(await text(incoming)))
      response.end(JSON.stringify({ result }))
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** The calls that are served at the URL. */
export function callsAt(url: string): ServiceCalls {
  const call =
    (name: keyof ServiceCalls) =>
    async (...args: readonly unknown[]): Promise<never> => {
      // `fetch` would give up before Gitea has been built.
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const asked = request(`${url}/${name}`, { method: 'POST' }, resolve)
        asked.once('error', reject).end(JSON.stringify(args))
      })
      const answer = await text(response)
      if (response.statusCode !== 200) throw new Error(`${name}: ${answer}`)
      return JSON.parse(answer).result as never
    }
  return {
    gitea: call('gitea'),
    giteaUser: call('giteaUser'),
    killGitea: call('killGitea'),
    startGitea: call('startGitea'),
    killControllers: call('killControllers'),
    startControllers: call('startControllers'),
  }
}
