import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controllersConfig, startControllers } from '@agents/jangar'
import { kinds } from '@agents/jangar-api'
import { createInformers, createKubeClient, type KubeClient } from '@agents/kube'
import { startLocalNode } from '@agents/local-node'
import { silentLogger } from '@agents/log'
import {
  programNeeds,
  writeLocalPrograms,
} from '../../../apps/agentctl/src/platform/local-programs.ts'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { connectionTo, installKinds } from '../../support/testbed/server.ts'

/** A control plane, our controllers, and our node, which runs their pods. */
export interface Platform {
  /** Of the node. */
  readonly stateDir: string
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

/** Settings of the controllers, beside the usual ones. */
type Settings = Readonly<Record<string, string>>

export const platforms: Readonly<
  Record<'embedded' | 'real', (path?: readonly string[], settings?: Settings) => Promise<Platform>>
> = {
  embedded: async (path, settings) =>
    startPlatform(await startEmbeddedServer(), true, path, settings),
  real: async () => {
    const options = { controllerManager: true, scheduler: true, fsync: false }
    return startPlatform(await startRealCluster(options), false)
  },
}

/** A real control plane runs Jobs, scheduling and claims itself: the node is only a kubelet there. */
async function startPlatform(
  plane: ControlPlane,
  isAlone: boolean,
  path: readonly string[] = [],
  settings: Settings = {},
): Promise<Platform> {
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-examples-')))
  const client = createKubeClient(connectionTo(plane.url, plane.caPem, plane.adminToken))
  const informers = createInformers(client)
  const logger = silentLogger
  await installKinds(client, kinds)
  const programs = join(stateDir, 'bin')
  await writeLocalPrograms(programs)
  const node = await startLocalNode({
    client,
    informers,
    logger,
    stateDir,
    nodeName: 'local',
    baseEnvironment: {
      PATH: [programs, ...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      HOME: stateDir,
    },
    programs: { folder: programs, needs: programNeeds() },
    runJobs: isAlone,
    bindPods: isAlone,
    provideVolumes: isAlone,
  })
  const controllers = startControllers({
    client,
    config: controllersConfig({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
      JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: '*',
      JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: '*',
      JANGAR_RBAC_CLUSTER_SCOPED: 'true',
      JANGAR_AGENT_RUNNER_IMAGE: 'agents.local/agent-runner:local',
      ...settings,
    }),
    log: logger,
  })
  await controllers.ready
  return {
    stateDir,
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
