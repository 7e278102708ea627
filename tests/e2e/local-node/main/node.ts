import { createInformers, createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { createLogger } from '@agents/log'
import { quick } from '../platform.ts'

/**
 * `node node.ts <kubeconfig> <state folder> <mounts>`: runs a node in its own process, so that it can be killed. If
 * `mounts` is the name of an engine, the node runs images.
 */
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
  ...(mounts === 'podman' || mounts === 'docker'
    ? { containerRuntime: mounts, engineEnvironment: definedIn(process.env) }
    : { mounts: mounts === 'namespace' ? 'namespace' : 'paths' }),
  ...quick,
})
process.stdout.write('ready\n')

function definedIn(environment: NodeJS.ProcessEnv): Record<string, string> {
  const all = Object.entries(environment)
  return Object.fromEntries(
    all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
