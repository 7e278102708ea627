import { createInformers, createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { createLogger } from '@agents/log'
import { answerParent } from '../part-process.ts'

/** `node node.ts <kubeconfig> <state folder> [beside]`: the node; `beside` a scheduler and a Job controller that are there already. */
const [, , kubeconfig = '', stateDir = '', place] = process.argv
const connection = await loadKubeconfig({ paths: [kubeconfig] }, systemEffects({}))
const client = createKubeClient(connection, { userAgent: 'local-node' })
const isAlone = place !== 'beside'
const node = await startLocalNode({
  client,
  informers: createInformers(client),
  logger: createLogger({ sink: process.stderr, level: 'error' }),
  stateDir,
  nodeName: 'local',
  baseEnvironment: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  mounts: 'paths',
  runJobs: isAlone,
  bindPods: isAlone,
})
answerParent(process, () => node.stop())
