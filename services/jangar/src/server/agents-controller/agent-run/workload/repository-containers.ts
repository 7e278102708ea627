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
import type { AgentsPorts } from '../../ports.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused, ResolvedVcs, ResolvedWork } from '../resolve/resolution.ts'
import {
  credentialContainer,
  credentialOf,
  platformContainer,
  platformImage,
} from './platform-container.ts'
import type { Mount } from './pod-volumes.ts'
import { literals } from './vcs-environment.ts'

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

/** In bytes. Linux limits one variable to 128 KiB; `literal` doubles some characters. */
const largestPlan = 120 * 1024

/**
 * `checkout` and, if the run may write, `publish`. They hold the credentials and run the platform's image with a fixed
 * command. Nothing from the run, its agent or its provider gets into their environment or volumes.
 */
export function repositoryContainers(
  work: ResolvedWork,
  run: { readonly name: string; readonly namespace?: string | undefined },
  context: TemplateContext,
  config: AgentsPorts['config'],
): Found<RepositoryContainers | undefined, Refused> {
  const { vcs } = work
  if (vcs === undefined || vcs.context.mode === 'none') return found(undefined)
  const image = platformImage(config)
  if (image.kind !== 'found') return image
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
  const credential = credentialOf(vcs.auth, 'agents-vcs')
  const holder = (name: string, command: string, agentUser: unknown, mounts: readonly Mount[]) =>
    credentialContainer({
      name,
      image: image.value,
      command: [command],
      env: [...literals(config.runner.publisherEnv), planned, ...ownEnvironment],
      mounts: [{ name: repositoryVolume, mountPath: podPaths.repository }, ...mounts],
      credential,
      agentUser,
    })
  return found({
    volumes: [
      { name: repositoryVolume, emptyDir: {} },
      ...(canWrite ? [{ name: publishVolume, emptyDir: {} }] : []),
      ...credential.volumes,
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
        holder(containerNames.checkout, 'agent-checkout', agent.runAsUser, []),
        ...(isBare ? [workTreeContainer(image.value, planned, agent)] : []),
      ],
      publish: canWrite
        ? [
            holder(containerNames.publish, 'agent-publish', agent.runAsUser, [
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
