import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import { openDatabase } from '../../../services/jangar/src/server/db.ts'
import { createApp } from '../../../services/jangar/src/server/http/app.ts'
import { webhookDoor } from '../../../services/jangar/src/server/http/routes/webhook-door.ts'
import { webhookRoutes } from '../../../services/jangar/src/server/http/routes/webhook-routes.ts'
import { openWebhooks } from '../../../services/jangar/src/server/inbox/open-webhooks.ts'
import { migrate } from '../../../services/jangar/src/server/kysely-migrations.ts'

/** `node receiver.ts <database URL> <secret>`: the routes of webhooks in their own process, with one source. */
const [, , url = '', secret = ''] = process.argv
const db = await openDatabase({ url, sslMode: 'disable', sslRootCert: undefined }, silentLogger)
await migrate(db, silentLogger)
let [reads, queries] = [0, 0]
const counted = db.withPlugin({
  transformQuery: ({ node }) => {
    queries += 1
    return node
  },
  transformResult: async ({ result }) => result,
})
const client = {
  get: async () => {
    reads += 1
    return { metadata: {}, data: { token: Buffer.from(secret).toString('base64') } }
  },
} as never
const source = {
  metadata: { namespace: 'red', name: 'issues', uid: '00000000-0000-4000-8000-000000000001' },
  spec: { provider: 'github', auth: { secretRef: { name: 'hook' } }, webhook: { enabled: true } },
}
const sources = {
  subscribe: ({ onAdd }: { onAdd: (one: never, isFirst: boolean) => void }) => {
    queueMicrotask(() => onAdd(source as never, true))
    return { hasSynced: () => true, remove: () => undefined }
  },
} as never
const ports = { log: silentLogger, clock: systemClock, client, sources }
const settings = { database: Promise.resolve(counted), queueSize: 1000, refusedSecrets: [] }
const webhooks = openWebhooks(settings, ports)
const handler = createApp({
  routes: webhookRoutes({ webhooks, clock: systemClock }),
  door: webhookDoor(webhooks),
  authenticate: () => Promise.reject(new Error('nobody calls')),
  ...{ client, clock: systemClock, log: silentLogger, closing: new AbortController().signal },
})
const server = createServer(handler)
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system, reads, queries })
})
process.on('disconnect', () => process.exit(0))
