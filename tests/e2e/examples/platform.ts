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
import { installAdmissionPolicies } from '../../support/run-platform/admission-policies.ts'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { type StaticToken, startRealCluster } from '../../support/testbed/real-cluster.ts'
import { connectionTo, installKinds } from '../../support/testbed/server.ts'

/** A control plane, our controllers, and our node, which runs their pods. */
export interface Platform {
  /** Of the node. */
  readonly stateDir: string
  readonly client: KubeClient
  readonly kubeconfig: string
  /** A connection of another user than the administrator. */
  connect(token: string): KubeClient
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

interface PlatformOptions {
  /** Users beside the administrator. With any, the admission policies are installed that keep them apart. */
  readonly users?: readonly StaticToken[]
}

type StartPlatform = (
  path?: readonly string[],
  settings?: Settings,
  options?: PlatformOptions,
) => Promise<Platform>

/** The account of the controllers and the node. */
const platformAccount = {
  token: 'token-of-the-platform',
  user: 'system:serviceaccount:agents:controllers',
  groups: ['system:masters'],
}

export const platforms: Readonly<Record<'embedded' | 'real', StartPlatform>> = {
  embedded: async (path, settings, { users = [] } = {}) =>
    startPlatform(
      await startEmbeddedServer({ tokens: [platformAccount, ...users] }),
      true,
      path,
      settings,
      users,
    ),
  real: async (path, settings, { users = [] } = {}) => {
    const tokens = [platformAccount, ...users]
    const options = { controllerManager: true, scheduler: true, fsync: false, tokens }
    return startPlatform(await startRealCluster(options), false, path, settings, users)
  },
}

/** A real control plane runs Jobs, scheduling and claims itself: the node is only a kubelet there. */
async function startPlatform(
  plane: ControlPlane,
  isAlone: boolean,
  path: readonly string[] = [],
  settings: Settings = {},
  users: readonly StaticToken[] = [],
): Promise<Platform> {
  const stateDir = await realpath(await mkdtemp(join(tmpdir(), 'agents-examples-')))
  const clientOf = (token: string) => createKubeClient(connectionTo(plane.url, plane.caPem, token))
  const client = clientOf(plane.adminToken)
  const platformClient = clientOf(platformAccount.token)
  const informers = createInformers(platformClient)
  const logger = silentLogger
  await installKinds(client, kinds)
  if (users.length > 0) await installAdmissionPolicies(client, 'default', [platformAccount.user])
  const clients = [client, platformClient]
  const programs = join(stateDir, 'bin')
  await writeLocalPrograms(programs)
  const node = await startLocalNode({
    client: platformClient,
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
    client: platformClient,
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
    connect: (token) => {
      const other = clientOf(token)
      clients.push(other)
      return other
    },
    stop: async () => {
      await controllers.stop()
      await node.stop()
      await informers.stop()
      for (const one of clients) one.close()
      await plane.stop()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
