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
} from '../reader/reader.ts'
import { artifact } from './artifact.ts'
import { mcpServer } from './mcp-server.ts'
import { skill } from './skill.ts'

/** Agent CLIs that the runner can give their task and system prompt. */
const cliNames = ['codex', 'claude-code', 'gemini-cli', 'opencode', 'aider'] as const
export type CliName = (typeof cliNames)[number]

/** Whether the CLI can use MCP servers. */
export function usesMcp(cli: CliName | undefined): boolean {
  return cli !== undefined && cli !== 'aider'
}

export const adapterNames = ['plain', ...cliNames] as const

/** The format in which a program reports usage on standard output. */
export type AdapterName = (typeof adapterNames)[number]

const mostSeconds = 2 ** 31 - 1
const seconds = wholeNumber(0, mostSeconds)

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
  /** Values for the templates' root `inputs`. If omitted, the run's parameters. */
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
  /** If set, the runner passes task and system prompt to the program by the means of this CLI. */
  cli: optional(oneOf(cliNames)),
  /** If omitted, that of `cli`, else chosen by the name of the program. */
  adapter: optional(oneOf(adapterNames)),
  /** Servers whose tools the CLI can use. */
  mcpServers: optional(listOf(mcpServer)),
  /** Skills that the CLI can use. */
  skills: optional(listOf(skill)),
  /** What to run if the command line names no program. */
  providerSpec: optional(providerSpec),
  timeouts: optional(
    record({
      /** For preparing and running together. If 0 or omitted, there is no limit. */
      runSeconds: optional(seconds),
      /** Between SIGTERM and SIGKILL. If omitted, 20, which fits into the default 30 of a pod. */
      graceSeconds: optional(seconds),
      /** For one git command that talks to a remote. If omitted, 300. */
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
