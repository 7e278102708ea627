import { type ConfigOf, text } from '@agents/config'
import { documentDigestsVariable } from '../run-contract/document-digests.ts'
import { podPaths } from '../run-contract/pod-paths.ts'

/** The variables that the runner reads for itself; the program gets the whole environment. */
export const runnerEnvironment = {
  specPath: text('AGENT_RUNNER_SPEC_PATH', {
    doc: 'Path of agent-runner.json, if the command line does not name it.',
    optional: true,
  }),
  spec: text('AGENT_RUNNER_SPEC', {
    doc: 'The content of agent-runner.json, if no path is given.',
    optional: true,
  }),
  runSpecPath: text('AGENT_RUN_SPEC', {
    doc: 'Path of run.json; takes precedence over payloads.eventFilePath.',
    optional: true,
  }),
  documentDigests: text(documentDigestsVariable, {
    doc: 'SHA-256 digests of the documents, by path, as JSON. A document with another digest ends the run.',
    optional: true,
  }),
  workspace: text('AGENT_WORKSPACE', {
    doc: 'Path of the workspace; paths below /workspace are resolved in it.',
    fallback: '/workspace',
    expected: 'an absolute path',
    check: (path) => (path.startsWith('/') ? undefined : 'the path is relative'),
  }),
  terminationMessagePath: text('AGENT_TERMINATION_MESSAGE_PATH', {
    doc: 'Path of the termination message; takes precedence over artifacts.terminationMessagePath.',
    optional: true,
  }),
  systemPromptPath: text('CODEX_SYSTEM_PROMPT_PATH', {
    doc: 'Path of a mounted file with standing instructions.',
    optional: true,
  }),
  /** Where `checkout` left the repository; mounted read-only. */
  repositoryFolder: text('AGENT_REPOSITORY_DIR', {
    doc: 'The folder with the fetched repository.',
    optional: true,
  }),
  publishFolder: text('AGENT_PUBLISH_DIR', {
    doc: 'The folder with the socket of the publisher.',
    optional: true,
  }),
  skillsFolder: text('AGENT_SKILLS_DIR', {
    doc: 'The folder with the skills that were fetched from repositories.',
    fallback: podPaths.skills,
  }),
  upload: {
    url: text('AGENT_UPLOAD_URL', {
      doc: 'The address to upload artifacts and the log to.',
      optional: true,
    }),
    folder: text('AGENT_UPLOAD_DIR', {
      doc: 'The folder with the token for uploads.',
      optional: true,
    }),
    certificateAuthority: text('AGENT_UPLOAD_CA', {
      doc: 'The certificates that are trusted for that address, in PEM.',
      optional: true,
    }),
  },
  vcs: {
    authorName: text('VCS_COMMIT_AUTHOR_NAME', { doc: 'Author name of commits.', optional: true }),
    authorEmail: text('VCS_COMMIT_AUTHOR_EMAIL', {
      doc: 'Author address of commits.',
      optional: true,
    }),
  },
}

export type RunnerEnvironment = ConfigOf<typeof runnerEnvironment>
