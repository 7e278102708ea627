import { createInformers, createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { createLogger } from '@agents/log'
import { quick } from '../platform.ts'

/** `node node.ts <kubeconfig> <state folder> <mounts>`: a node in a process of its own, so that it can be killed. */
const [, , kubeconfig = '', stateDir = '', mounts = 'paths'] = process.argv
const connection = await loadKubeconfig({ paths: [kubeconfig] }, systemEffects(process.env))
const client = createKubeClient(connection)
await startLocalNode({
  client,
  informers: createInformers(client),
  logger: createLogger({ sink: process.stderr, level: 'warn' }),
  stateDir,
  nodeName: 'local',
  baseEnvironment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  mounts: mounts === 'namespace' ? 'namespace' : 'paths',
  ...quick,
})
process.stdout.write('ready\n')
