import { type Container, type EnvVar, stringifyJson, type Volume } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { headBranchOf } from '../../../../run-contract/repository/head-branch.ts'
import {
  type RepositoryPlan,
  repositoryPlanVariable,
} from '../../../../run-contract/repository-plan.ts'
import { RunFailure } from '../../../../run-contract/run-failure.ts'
import type { TemplateContext } from '../../../../run-contract/templates/template-roots.ts'
import { containerNames } from '../../../jobs/container-names.ts'
import { literal } from '../../../jobs/literal.ts'
import { containerSecurity } from '../../../jobs/pod-security.ts'
import { publisherIds } from '../../../primitives-policy/pod-security-settings.ts'
import type { AgentsPorts } from '../../ports.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused, ResolvedVcs, ResolvedWork } from '../resolve/resolution.ts'
import { type Mount, secretFile } from './pod-volumes.ts'
import { credentialEnvironment, knownHostsFolder, literals, sshFolder } from './vcs-environment.ts'

/** What a pod has in addition to the agent's container if its run uses a repository. */
export interface RepositoryContainers {
  readonly volumes: readonly Volume[]
  /** For the agent's container: the fetched repository, read-only, and the directory of the publisher's socket. */
  readonly agentMounts: readonly Mount[]
  readonly agentEnv: readonly EnvVar[]
  /** Builds the containers, given the mounts and the user of the agent's container. */
  containers(agent: AgentSide): { initContainers: Container[]; publish: Container[] }
}

export interface AgentSide {
  readonly runAsUser: unknown
  readonly mounts: readonly Mount[]
}

const repositoryVolume = 'agents-repository'
const publishVolume = 'agents-publish'
const sshVolume = 'agents-vcs-ssh'
const knownHostsVolume = 'agents-vcs-known-hosts'

/** In bytes. Linux limits one variable to 128 KiB; `literal` doubles some characters. */
const largestPlan = 120 * 1024

/** Readable by its owner only: ssh refuses a key that others can read. */
const privateMode = 0o400

/**
 * `checkout` and, if the run may write, `publish`. They hold the credentials and run the platform's image with a fixed
 * command. Nothing from the run, its agent or its provider gets into their environment or volumes.
 */
export function repositoryContainers(
  work: ResolvedWork,
  run: { readonly name: string; readonly namespace?: string | undefined },
  context: TemplateContext,
  { runner, pod }: AgentsPorts['config'],
): Found<RepositoryContainers | undefined, Refused> {
  const { vcs } = work
  if (vcs === undefined || vcs.context.mode === 'none') return found(undefined)
  // The platform's image contains both programs, in the version that matches this controller.
  const image = runner.publisherImage ?? pod?.image ?? runner.image ?? runner.fallbackImage
  if (image === undefined) {
    return refused(
      'MissingWorkloadImage',
      'the platform has no image for fetching and pushing repositories; ask an administrator to set JANGAR_AGENT_PUBLISHER_IMAGE',
    )
  }
  const plan = planOf(vcs, run, context)
  if (plan.kind !== 'found') return plan
  const planned = { name: repositoryPlanVariable, value: literal(stringifyJson(plan.value)) }
  if (Buffer.byteLength(planned.value) > largestPlan) {
    return refused(
      'WorkTooLarge',
      `defaults, branchPolicy and pushPolicy of VersionControlProvider ${vcs.context.providerName} have more than ${largestPlan} bytes for this run; shorten them`,
    )
  }
  const canWrite = plan.value.head !== undefined
  const isBare = !work.submitsWork
  const platform = {
    image,
    env: [...literals(runner.publisherEnv), planned],
    credential: { env: credentialEnvironment(vcs.auth), mounts: credentialMounts(vcs) },
  }
  return found({
    volumes: [
      { name: repositoryVolume, emptyDir: {} },
      ...(canWrite ? [{ name: publishVolume, emptyDir: {} }] : []),
      ...credentialVolumes(vcs),
    ],
    agentMounts: [
      { name: repositoryVolume, mountPath: podPaths.repository, readOnly: true },
      ...(canWrite ? [{ name: publishVolume, mountPath: podPaths.publish }] : []),
    ],
    agentEnv: [
      { name: 'AGENT_REPOSITORY_DIR', value: podPaths.repository },
      ...(canWrite ? [{ name: 'AGENT_PUBLISH_DIR', value: podPaths.publish }] : []),
    ],
    containers: (agent) => ({
      initContainers: [
        credentialContainer(containerNames.checkout, 'agent-checkout', platform, agent, []),
        ...(isBare ? [workTreeContainer(image, planned, agent)] : []),
      ],
      publish: canWrite
        ? [
            credentialContainer(containerNames.publish, 'agent-publish', platform, agent, [
              { name: publishVolume, mountPath: podPaths.publish },
            ]),
          ]
        : [],
    }),
  })
}

function planOf(
  { context: vcs, auth, branchPolicy, pushPolicy, requireChanges }: ResolvedVcs,
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string | undefined },
  context: TemplateContext,
): Found<RepositoryPlan, Refused> {
  try {
    const canWrite = vcs.mode === 'read-write' && vcs.writeEnabled !== false
    return found({
      agentRun: { name, namespace },
      vcs,
      ...(canWrite && { head: headBranchOf(vcs, name, context) }),
      ...(branchPolicy && { branchPolicy }),
      ...(pushPolicy && { pushPolicy }),
      ...(requireChanges && { requireChanges }),
      ...(auth.kind === 'ssh' && { hostKeyPolicy: auth.hostKeyPolicy }),
    })
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error
    return refused('InvalidTemplate', error.message)
  }
}

interface Platform {
  readonly image: string
  readonly env: readonly EnvVar[]
  readonly credential: { readonly env: readonly EnvVar[]; readonly mounts: readonly Mount[] }
}

function credentialContainer(
  name: string,
  command: string,
  { image, env, credential }: Platform,
  agent: AgentSide,
  mounts: readonly Mount[],
): Container {
  const user = publisherIds.find((one) => one !== Number(agent.runAsUser)) ?? publisherIds[0]
  return {
    ...platformContainer(name, image, [command]),
    env: [...env, ...ownEnvironment, ...credential.env],
    volumeMounts: [
      { name: repositoryVolume, mountPath: podPaths.repository },
      ...mounts,
      ...credential.mounts,
    ],
    securityContext: {
      ...containerSecurity(),
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      readOnlyRootFilesystem: true,
    },
  }
}

/** Runs as the agent's user and has no credentials. */
function workTreeContainer(image: string, plan: EnvVar, { mounts }: AgentSide): Container {
  const workspace = mounts.filter(
    ({ mountPath, subPath }) =>
      subPath === undefined && `${mountPath}/`.startsWith(`${podPaths.workspace}/`),
  )
  return {
    ...platformContainer(containerNames.workTree, image, ['agent-checkout', 'work-tree']),
    env: [plan, ...ownEnvironment],
    volumeMounts: [
      { name: repositoryVolume, mountPath: podPaths.repository, readOnly: true },
      ...workspace,
    ],
    securityContext: containerSecurity(),
  }
}

const ownEnvironment: readonly EnvVar[] = [
  { name: 'AGENT_REPOSITORY_DIR', value: podPaths.repository },
  { name: 'AGENT_PUBLISH_DIR', value: podPaths.publish },
  { name: 'AGENT_WORKSPACE', value: podPaths.workspace },
  { name: 'AGENT_TERMINATION_MESSAGE_PATH', value: podPaths.terminationMessage },
]

function platformContainer(name: string, image: string, command: string[]): Container {
  return {
    name,
    image,
    command,
    resources: { requests: { cpu: '10m', memory: '64Mi' } },
    terminationMessagePath: podPaths.terminationMessage,
    terminationMessagePolicy: 'File',
  }
}

function credentialVolumes({ auth }: ResolvedVcs): Volume[] {
  if (auth.kind !== 'ssh') return []
  const { secret, knownHosts } = auth
  const hosts = knownHosts && {
    name: knownHostsVolume,
    configMap: { name: knownHosts.name, items: [{ key: knownHosts.key, path: knownHosts.key }] },
  }
  return [
    { name: sshVolume, ...secretFile(secret.name, secret.key, privateMode) },
    ...(hosts === undefined ? [] : [hosts]),
  ]
}

function credentialMounts({ auth }: ResolvedVcs): Mount[] {
  if (auth.kind !== 'ssh') return []
  return [
    { name: sshVolume, mountPath: sshFolder, readOnly: true },
    ...(auth.knownHosts === undefined
      ? []
      : [{ name: knownHostsVolume, mountPath: knownHostsFolder, readOnly: true }]),
  ]
}
