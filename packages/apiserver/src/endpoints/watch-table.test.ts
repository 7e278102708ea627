import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { silentLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { type ApiServer, startApiServer } from '../server.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const logger = silentLogger

async function send(server: ApiServer, method: string, path: string, body?: object) {
  const headers = {
    Authorization: `Bearer ${server.adminToken}`,
    'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  }
  const sent = request(server.url + path, { method, ca: server.caCertificate, headers })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

test('a watched table has ages relative to each change, not to its start', async () => {
  let laterMs = 0
  const server = await startApiServer({ logger, clock: () => new Date(Date.now() + laterMs) })
  try {
    const watch = await send(server, 'GET', `${configMaps}?watch=1&fieldSelector=metadata.name%3Da`)
    const lines = createInterface({ input: watch })[Symbol.asyncIterator]()
    const age = async () => {
      const { value } = await lines.next()
      const { object } = JSON.parse(value ?? '{}') as { object: { rows: { cells: unknown[] }[] } }
      return object.rows[0]?.cells.at(-1)
    }
    const metadata = { name: 'a' }
    ;(await send(server, 'POST', configMaps, { metadata })).resume()
    expect(await age()).toMatch(/^\d+s$/)
    laterMs = 3 * 86_400_000
    ;(await send(server, 'PATCH', `${configMaps}/a`, { data: { is: 'older' } })).resume()
    expect(await age()).toMatch(/^3d/)
    watch.destroy()
  } finally {
    await server.stop()
  }
})
