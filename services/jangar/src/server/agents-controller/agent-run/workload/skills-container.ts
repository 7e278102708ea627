import { type Container, type EnvVar, stringifyJson, type Volume } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { type SkillsPlan, skillsPlanVariable } from '../../../../run-contract/skills-plan.ts'
import { containerNames } from '../../../jobs/container-names.ts'
import { literal } from '../../../jobs/literal.ts'
import type { AgentsPorts } from '../../ports.ts'
import { type Found, found } from '../resolve/problem.ts'
import type { Refused, ResolvedWork } from '../resolve/resolution.ts'
import { credentialContainer, credentialOf, platformImage } from './platform-container.ts'
import type { Mount } from './pod-volumes.ts'
import { literals } from './vcs-environment.ts'

/** What a pod has in addition if skills of the agent come from repositories. */
export interface SkillsContainer {
  readonly volumes: readonly Volume[]
  readonly agentMounts: readonly Mount[]
  readonly agentEnv: readonly EnvVar[]
  /** Builds the init container, given the user of the agent's container. */
  container(agentUser: unknown): Container
}

const skillsVolume = 'agents-skills'

/** `skills`: fetches them before the agent starts, and is the only container with the credential for it. */
export function skillsContainer(
  { gitSkills }: Pick<ResolvedWork, 'gitSkills'>,
  config: AgentsPorts['config'],
): Found<SkillsContainer | undefined, Refused> {
  if (gitSkills === undefined) return found(undefined)
  const image = platformImage(config)
  if (image.kind !== 'found') return image
  const { skills, auth, service } = gitSkills
  const plan: SkillsPlan = {
    skills,
    ...(service && { service }),
    ...(auth.kind === 'ssh' && { hostKeyPolicy: auth.hostKeyPolicy }),
  }
  const credential = credentialOf(auth, 'agents-skills')
  const folder = { name: 'AGENT_SKILLS_DIR', value: podPaths.skills }
  return found({
    volumes: [{ name: skillsVolume, emptyDir: { sizeLimit: '512Mi' } }, ...credential.volumes],
    agentMounts: [{ name: skillsVolume, mountPath: podPaths.skills, readOnly: true }],
    agentEnv: [folder],
    container: (agentUser) =>
      credentialContainer({
        name: containerNames.skills,
        image: image.value,
        command: ['agent-checkout', 'skills'],
        env: [
          ...literals(config.runner.publisherEnv),
          { name: skillsPlanVariable, value: literal(stringifyJson(plan)) },
          folder,
          { name: 'AGENT_TERMINATION_MESSAGE_PATH', value: podPaths.terminationMessage },
        ],
        mounts: [{ name: skillsVolume, mountPath: podPaths.skills }],
        credential,
        agentUser,
      }),
  })
}
