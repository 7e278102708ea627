import { text } from '@agents/config'
import { podPaths } from '../../run-contract/pod-paths.ts'
import { skillsPlanVariable } from '../../run-contract/skills-plan.ts'
import { publisherEnvironment } from './publisher-environment.ts'

/** The variables that `agent-checkout skills` reads. Only the controller sets them. */
export const skillsEnvironment = {
  plan: text(skillsPlanVariable, { doc: 'Which skills to fetch, as JSON.' }),
  folder: text('AGENT_SKILLS_DIR', {
    doc: 'The folder for the fetched skills.',
    fallback: podPaths.skills,
  }),
  terminationMessagePath: publisherEnvironment.terminationMessagePath,
  credential: publisherEnvironment.credential,
}
