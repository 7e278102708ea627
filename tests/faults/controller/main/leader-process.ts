/** A candidate in its own process: copies widgets while it leads. Logs its role to standard output. */
import { LeaderElector, Manager } from '@agents/controller'
import { createInformers, createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { createLogger } from '@agents/log'
import { widgetController } from '../widget.ts'

const { KUBECONFIG: path = '', NAMESPACE: namespace = 'default' } = process.env
const log = createLogger({ sink: process.stderr })
const client = createKubeClient(await loadKubeconfig({ paths: [path] }, systemEffects({})))
const informers = createInformers(client)
const identity = `candidate_${process.pid}`
const election = new LeaderElector({
  client,
  log,
  identity,
  lease: { namespace, name: 'widgets' },
  onStatus: (isLeader) => isLeader && process.stdout.write('leading\n'),
})
const manager = new Manager({ log, election })
const controller = widgetController({ client, informers, namespace, log })
manager.add('leading', { name: 'widgets', run: (signal) => controller.run(signal) })
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
process.stdout.write('candidate\n')
await manager.run(stop.signal).catch(() => {
  process.exitCode = 1
})
await informers.stop()
client.close()
