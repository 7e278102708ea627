/** Does the same as `go/controller`, on our own machinery, and prints the same JSON lines. */
import { parseArgs } from 'node:util'
import { Controller, fromInformer, gateReconcile, objectApi } from '@agents/controller'
import { createInformer, createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { WidgetKind, widgetReconciler } from './widget.ts'

const { values } = parseArgs({
  options: {
    config: { type: 'string', default: '' },
    writer: { type: 'string', default: 'typescript' },
    total: { type: 'string', default: '0' },
    workers: { type: 'string', default: '16' },
    each: { type: 'boolean', default: false },
  },
})
const total = Number(values.total)

function now(): number {
  return performance.timeOrigin + performance.now()
}

function tell(fields: object): void {
  return void process.stdout.write(`${JSON.stringify(fields)}\n`)
}

function heap(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

let writes = 0
let count = 0
const connection = await loadKubeconfig({ paths: [values.config] }, systemEffects({}))
const client = createKubeClient(connection, {
  onRequest: ({ method }) => {
    if (method === 'PATCH') writes += 1
  },
})
const informer = createInformer({ client, kind: WidgetKind })
const reconcile = gateReconcile(widgetReconciler(values.writer), {
  api: objectApi(client, WidgetKind),
})
const controller = new Controller({
  kind: WidgetKind,
  primary: fromInformer(informer),
  workers: Number(values.workers),
  log: silentLogger,
  reconcile: async (object, context) => {
    const isLate = values.each && count >= total
    if (isLate) tell({ event: 'reconcile', name: object.metadata.name, at: now() })
    const result = await reconcile(object, context)
    count += 1
    if (count === 1) tell({ event: 'first', at: now() })
    if (count === total) {
      tell({ event: 'all', at: now(), writes })
      tell({ event: 'memory', heap: heap(), ...informer.stats() })
    }
    return result
  },
})
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
tell({ event: 'memory', heap: heap() })
tell({ event: 'start', at: now() })
informer.start()
await controller.run(stop.signal)
tell({ event: 'end', ...informer.stats(), writes })
await informer.stop()
client.close()
