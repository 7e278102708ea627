/** Where the documents, folders and reports of a run are in its pod. */
export const podPaths = {
  workspace: '/workspace',
  /** `run.json` */
  runSpec: '/workspace/run.json',
  /** `agent-runner.json` */
  runnerSpec: '/workspace/agent-runner.json',
  /** Has the reports of the runner. */
  reports: '/workspace/.agent',
  status: '/workspace/.agent/status.json',
  log: '/workspace/.agent/runner.log',
  terminationMessage: '/dev/termination-log',
  /** Holds the fetched repository. The agent's container mounts it read-only. */
  repository: '/var/run/agents/repository',
  /** Holds the socket that the agent's container submits its commits to. */
  publish: '/var/run/agents/publish',
  /** Holds the skills that were fetched from repositories. The agent's container mounts it read-only. */
  skills: '/var/run/agents/skills',
  /** Holds documents from ConfigMaps, for the container that verifies them. */
  documentsSource: '/var/run/agents/documents-source',
  /** Where that container writes the verified documents. */
  documents: '/var/run/agents/documents',
  /** Holds the token for uploads of artifacts. */
  upload: '/var/run/agents/upload',
} as const
