import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controllersConfig, startControllers } from '@agents/jangar'
import { kinds } from '@agents/jangar-api'
import { createInformers, createKubeClient, type KubeClient } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { createLogger } from '@agents/log'
import { writeLocalPrograms } from '../../apps/agentctl/src/platform/local-programs.ts'
import { connectionTo, installKinds } from '../status-contract/server.ts'
import { startEmbeddedServer } from '../testbed/embedded-server.ts'
import { startRealCluster } from '../testbed/real-cluster.ts'

/** A control plane, our controllers, and our node that runs what they start. */
export interface Platform {
  readonly client: KubeClient
  readonly kubeconfig: string
  stop(): Promise<void>
}

interface ControlPlane {
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
  readonly kubeconfigPath: string
  stop(): Promise<void>
}

export const platforms: Readonly<Record<'embedded' | 'real', () => Promise<Platform>>> = {
  embedded: async () => startPlatform(await startEmbeddedServer(), true),
  real: async () => {
    const options = { controllerManager: true, scheduler: true, fsync: false }
    return startPlatform(await startRealCluster(options), false)
  },
}

/** On a real control plane Jobs, scheduling and claims are others' work: the node only plays the kubelet. */
async function startPlatform(plane: ControlPlane, isAlone: boolean): Promise<Platform> {
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-examples-')))
  const client = createKubeClient(connectionTo(plane.url, plane.caPem, plane.adminToken))
  const informers = createInformers(client)
  const logger = createLogger({ sink: { write: () => undefined }, level: 'error' })
  await installKinds(client, kinds)
  const programs = join(stateDir, 'bin')
  await writeLocalPrograms(programs)
  const node = await startLocalNode({
    client,
    informers,
    logger,
    stateDir,
    nodeName: 'local',
    baseEnvironment: { PATH: `${programs}:/usr/local/bin:/usr/bin:/bin`, HOME: stateDir },
    runJobs: isAlone,
    bindPods: isAlone,
    bindClaims: isAlone,
  })
  const controllers = startControllers({
    client,
    config: controllersConfig({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
      JANGAR_RBAC_CLUSTER_SCOPED: 'true',
      JANGAR_AGENT_RUNNER_IMAGE: 'agents.local/agent-runner:local',
    }),
    log: logger,
  })
  await controllers.ready
  return {
    client,
    kubeconfig: plane.kubeconfigPath,
    stop: async () => {
      await controllers.stop()
      await node.stop()
      await informers.stop()
      client.close()
      await plane.stop()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
