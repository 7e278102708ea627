import { createInformers, createKubeClient, loadKubeconfig, systemEffects } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { createLogger } from '@agents/log'
import { answerParent } from '../part-process.ts'

/**
 * `node node.ts <kubeconfig> <state folder> [alone|beside] [programs]`: runs the node; `beside` means that the cluster
 * already has a scheduler and a Job controller.
 */
const [, , kubeconfig = '', stateDir = '', place, programs = ''] = process.argv
const connection = await loadKubeconfig({ paths: [kubeconfig] }, systemEffects({}))
const client = createKubeClient(connection, { userAgent: 'local-node' })
const isAlone = place !== 'beside'
const node = await startLocalNode({
  client,
  informers: createInformers(client),
  logger: createLogger({ sink: process.stderr, level: 'error' }),
  stateDir,
  nodeName: 'local',
  baseEnvironment: { PATH: [programs, '/usr/local/bin:/usr/bin:/bin'].filter(Boolean).join(':') },
  mounts: programs === '' ? 'paths' : 'auto',
  ...(programs !== '' && { programs: { folder: programs, needs: [] } }),
  runJobs: isAlone,
  bindPods: isAlone,
})
answerParent(process, () => node.stop())
