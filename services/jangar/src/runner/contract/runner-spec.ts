import { artifact } from './artifact.ts'
import {
  listOf,
  mapOf,
  oneOf,
  optional,
  type ReadBy,
  readJsonDocument,
  record,
  someText,
  text,
  wholeNumber,
} from './reader.ts'

export const RUNNER_SPEC_PATH = '/workspace/agent-runner.json'
export const STATUS_PATH = '/workspace/.agent/status.json'
export const LOG_PATH = '/workspace/.agent/runner.log'
export const TERMINATION_MESSAGE_PATH = '/dev/termination-log'

export const ADAPTERS = ['plain', 'codex', 'claude-code', 'gemini-cli'] as const

/** Whose way of telling usage on standard output is understood. */
export type AdapterName = (typeof ADAPTERS)[number]

const MOST_SECONDS = 2 ** 31 - 1
const seconds = wholeNumber(0, MOST_SECONDS)

/** The spec of an AgentProvider, its templates still to be filled in. */
const providerSpec = record({
  binary: someText,
  argsTemplate: optional(listOf(text)),
  envTemplate: optional(mapOf(text)),
  inputFiles: optional(listOf(record({ path: someText, content: text }))),
  outputArtifacts: optional(listOf(artifact)),
})

/** `agent-runner.json`: how the runner is to do it. */
const runnerSpec = record({
  provider: someText,
  /** Values for the templates' root `inputs`; left out, the run's parameters. */
  inputs: optional(mapOf(text)),
  payloads: optional(record({ eventFilePath: optional(someText) })),
  artifacts: optional(
    record({
      statusPath: optional(someText),
      logPath: optional(someText),
      /** How long the logs of earlier runs in the same workspace are kept. */
      logRetentionSeconds: optional(seconds),
      terminationMessagePath: optional(someText),
    }),
  ),
  /** Left out, guessed from the name of the program. */
  adapter: optional(oneOf(ADAPTERS)),
  /** What to run when the command line does not say so. */
  providerSpec: optional(providerSpec),
  timeouts: optional(
    record({
      /** For preparing and running together; 0 or left out means no limit. */
      runSeconds: optional(seconds),
      /** Between SIGTERM and SIGKILL; left out, 20, which fits into a pod's usual 30. */
      graceSeconds: optional(seconds),
      /** For one git command that talks to a remote; left out, 300. */
      gitSeconds: optional(seconds),
    }),
  ),
  /** Environment variables that come from Secrets, so that their values are masked in all output. */
  secretEnv: optional(listOf(text)),
})

export type RunnerSpec = ReadBy<typeof runnerSpec>
export type ProviderSpec = ReadBy<typeof providerSpec>

export function parseRunnerSpec(document: string) {
  return readJsonDocument(runnerSpec, document)
}
