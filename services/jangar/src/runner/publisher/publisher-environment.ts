import { type ConfigOf, text } from '@agents/config'
import { podPaths } from '../../run-contract/pod-paths.ts'
import { repositoryPlanVariable } from '../../run-contract/repository-plan.ts'

/**
 * The variables that `agent-checkout` and `agent-publish` read. The controller sets all of them; a run can add none.
 */
export const publisherEnvironment = {
  plan: text(repositoryPlanVariable, { doc: 'What to fetch and where to push, as JSON.' }),
  repositoryFolder: text('AGENT_REPOSITORY_DIR', {
    doc: 'The folder for the fetched repository.',
    fallback: podPaths.repository,
  }),
  publishFolder: text('AGENT_PUBLISH_DIR', {
    doc: 'The folder for the socket of the publisher.',
    fallback: podPaths.publish,
  }),
  workspace: text('AGENT_WORKSPACE', {
    doc: 'The workspace, for a work tree.',
    fallback: podPaths.workspace,
  }),
  terminationMessagePath: text('AGENT_TERMINATION_MESSAGE_PATH', {
    doc: 'Path of the termination message.',
    fallback: podPaths.terminationMessage,
  }),
  credential: {
    token: text('VCS_TOKEN', { doc: 'Token for the repository.', secret: true, optional: true }),
    username: text('VCS_USERNAME', { doc: 'User name beside the token.', optional: true }),
    sshKeyPath: text('VCS_SSH_KEY_PATH', { doc: 'Path of a private SSH key.', optional: true }),
    sshKnownHostsPath: text('VCS_SSH_KNOWN_HOSTS_PATH', {
      doc: 'Path of the host keys to trust.',
      optional: true,
    }),
  },
}

export type PublisherEnvironment = ConfigOf<typeof publisherEnvironment>
