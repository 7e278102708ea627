import { type ConfigOf, text } from '@agents/config'

/** The variables that the runner reads for itself; the program gets the whole environment. */
export const runnerEnvironment = {
  specPath: text('AGENT_RUNNER_SPEC_PATH', {
    doc: 'Path of agent-runner.json, when the command line does not name it.',
    optional: true,
  }),
  spec: text('AGENT_RUNNER_SPEC', {
    doc: 'The content of agent-runner.json, when no path is given.',
    optional: true,
  }),
  runSpecPath: text('AGENT_RUN_SPEC', {
    doc: 'Path of run.json; outranks payloads.eventFilePath.',
    optional: true,
  }),
  workspace: text('AGENT_WORKSPACE', {
    doc: 'Where the workspace really is; paths below /workspace mean places in it.',
    fallback: '/workspace',
    expected: 'an absolute path',
    check: (path) => (path.startsWith('/') ? undefined : 'it is relative'),
  }),
  terminationMessagePath: text('AGENT_TERMINATION_MESSAGE_PATH', {
    doc: 'Where the termination message goes; outranks artifacts.terminationMessagePath.',
    optional: true,
  }),
  systemPromptPath: text('CODEX_SYSTEM_PROMPT_PATH', {
    doc: 'A file with standing instructions that is mounted already.',
    optional: true,
  }),
  vcs: {
    token: text('VCS_TOKEN', { doc: 'Token for the repository.', secret: true, optional: true }),
    username: text('VCS_USERNAME', { doc: 'User name beside the token.', optional: true }),
    askpassUsername: text('GIT_ASKPASS_USERNAME', {
      doc: 'User name beside the token, when VCS_USERNAME is not set.',
      optional: true,
    }),
    sshKeyPath: text('VCS_SSH_KEY_PATH', { doc: 'Path of a private SSH key.', optional: true }),
    sshKnownHostsPath: text('VCS_SSH_KNOWN_HOSTS_PATH', {
      doc: 'Path of the host keys to trust.',
      optional: true,
    }),
    authorName: text('VCS_COMMIT_AUTHOR_NAME', { doc: 'Author name of commits.', optional: true }),
    authorEmail: text('VCS_COMMIT_AUTHOR_EMAIL', {
      doc: 'Author address of commits.',
      optional: true,
    }),
  },
}

export type RunnerEnvironment = ConfigOf<typeof runnerEnvironment>
