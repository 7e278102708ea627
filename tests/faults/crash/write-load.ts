import type { LedgerLine } from '../../../packages/apiserver/src/store/testing/crash-ledger.ts'
import type { EmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { type Call, Connection } from '../../support/testbed/raw-http-connection.ts'

const clients = 6
const keysPerClient = 4

export const collection = '/api/v1/namespaces/default/configmaps'

/** The contents of the store: the token of every ConfigMap that the load wrote. */
type Contents = ReadonlyMap<string, string>

interface Load {
  /** The writes that clients started and those that were acknowledged, in order. */
  readonly lines: LedgerLine[]
  /** Unexpected responses. */
  readonly faults: string[]
  /** Resolves when the server has exited and all clients have noticed. */
  readonly ended: Promise<void>
}

/** Creates, updates and deletes from several clients concurrently, until the connections break. */
export async function startLoad(
  server: EmbeddedServer,
  run: number,
  contents: Contents,
): Promise<Load> {
  const lines: LedgerLine[] = []
  const faults: string[] = []
  const connections = await Promise.all(Array.from({ length: clients }, () => connect(server)))
  const ended = Promise.all(
    connections.map(async (connection, client) => {
      const known = new Map(contents)
      for (let n = 0; ; n++) {
        // Each key belongs to one client, so that at most one write per key is in flight.
        const key = `load-${client}-${n % keysPerClient}`
        const exists = known.has(key)
        const token = exists && (n * 7 + client) % 5 === 0 ? null : `${run}-${client}-${n}`
        lines.push({ type: 'begun', key, token })
        const reply = await connection.send(callOf(key, token, exists)).catch(() => undefined)
        if (reply === undefined) return
        const { status, body } = reply
        if (status !== 200 && status !== 201) {
          faults.push(`${token} to ${key} was answered with ${status}: ${body}`)
          return
        }
        lines.push({ type: 'acknowledged', key, revision: revisionOf(body) })
        if (token === null) known.delete(key)
        else known.set(key, token)
      }
    }),
  ).then(() => {
    for (const connection of connections) connection.close()
  })
  return { lines, faults, ended }
}

export function connect(server: EmbeddedServer): Promise<Connection> {
  return Connection.open(server.url, server.caPem, server.adminToken)
}

export async function readContents(
  server: EmbeddedServer,
): Promise<{ contents: Contents; revision: number }> {
  const connection = await connect(server)
  const { body } = await connection.send({ method: 'GET', path: collection })
  connection.close()
  const list = JSON.parse(body.toString()) as {
    metadata: { resourceVersion: string }
    items: { metadata: { name: string }; data: { token: string } }[]
  }
  const ours = list.items.filter(({ metadata }) => metadata.name.startsWith('load-'))
  return {
    contents: new Map(ours.map(({ metadata, data }) => [metadata.name, data.token])),
    revision: Number(list.metadata.resourceVersion),
  }
}

function callOf(key: string, token: string | null, exists: boolean): Call {
  const path = `${collection}/${key}`
  if (token === null) return { method: 'DELETE', path }
  const data = { token, padding: 'x'.repeat(token.length * 97) }
  if (exists) {
    const type = 'application/merge-patch+json'
    return { method: 'PATCH', path, type, body: JSON.stringify({ data }) }
  }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: key }, data }
  return { method: 'POST', path: collection, body: JSON.stringify(object) }
}

/** A delete returns a Status, which has no revision. */
function revisionOf(body: Buffer): number {
  const { metadata } = JSON.parse(body.toString()) as { metadata: { resourceVersion?: string } }
  return Number(metadata.resourceVersion ?? 0)
}
