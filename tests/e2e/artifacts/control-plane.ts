import { join } from 'node:path'
import { systemClock } from '@agents/controller'
import { artifactSettings } from '@agents/jangar'
import { createInformers, createKubeClient } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { serveApi } from '../../../services/jangar/src/server/http/serve-api.ts'
import { connectionTo } from '../../support/testbed/server.ts'

/** The HTTP API in a process of its own, which tests kill and measure. Prints its port, and its memory when asked. */
const { url, caPem, token, folder, ...variables } = JSON.parse(process.argv[2] ?? '') as Record<
  string,
  string
>
const connection = connectionTo(url ?? '', caPem ?? '', token ?? '')
const client = createKubeClient(connection)
const tls = {
  certificate: join(folder ?? '', 'apiserver.crt'),
  key: join(folder ?? '', 'apiserver.key'),
}
const stopping = new AbortController()
const server = serveApi({
  listen: { host: '127.0.0.1', port: 0, tls },
  opensAtOnce: true,
  version: '1.2.3',
  ...{ connection, client, informers: createInformers(client), namespaces: ['*'], readiness: {} },
  artifacts: artifactSettings(variables),
  ...{ stopping: stopping.signal, log: silentLogger, clock: systemClock },
})
await server.start()
process.stdin.on('data', () => process.stdout.write(`rss ${process.memoryUsage().rss}\n`))
process.stdout.write(`port ${server.port}\n`)
await server.run(stopping.signal)
