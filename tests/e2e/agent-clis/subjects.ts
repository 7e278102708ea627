import type { ModelRequest } from '../../support/model-server/model-server.ts'
import type { ToolCall } from '../../support/model-server/reply.ts'
import type { AgentCli } from '../../support/testbed/agent-clis.ts'
import { isFull } from '../../support/tier.ts'

/** How a CLI is connected to the model server, and how its model changes a file. */
export interface Subject {
  readonly cli: AgentCli
  /** The variable that holds the key. */
  readonly key: string
  env(url: string): Readonly<Record<string, string>>
  /** Runs a shell command, or says in words what to write. */
  write(file: string, content: string): { readonly text?: string; readonly calls?: ToolCall[] }
  /** Calls a tool of an MCP server. Undefined if it cannot. */
  readonly callMcp?: (server: string, tool: string, argument: object) => ToolCall
  /** Whether it works in several turns. Otherwise it asks its model once. */
  readonly hasTurns: boolean
  /** Whether it asks again when an answer is cut in its middle. Otherwise it fails, and the run is retried. */
  readonly asksAgain: boolean
  /** Whether it starts in a moment, so that it takes part in all tests. */
  readonly isQuick: boolean
  /** Whether it reports how many tokens came from a cache. */
  readonly reportsCached: boolean
  /** Whether the request is one of the agent's own, and not about a title or the choice of a model. */
  isTurn(request: ModelRequest): boolean
}

function hasTools({ body }: ModelRequest): boolean {
  return Array.isArray(body.tools) && body.tools.length > 0
}

export const subjects: readonly Subject[] = [
  {
    cli: 'codex',
    key: 'OPENAI_API_KEY',
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    // Its model writes JavaScript that calls tools.
    write: (file, content) => {
      const cmd = JSON.stringify(`echo ${content} > ${file}`)
      return {
        calls: [{ name: 'exec', input: `text((await tools.exec_command({cmd:${cmd}})).output)` }],
      }
    },
    callMcp: (server, tool, argument) => ({
      name: 'exec',
      input: `text(JSON.stringify(await tools.mcp__${server}__${tool}(${JSON.stringify(argument)})))`,
    }),
    hasTurns: true,
    asksAgain: true,
    isQuick: true,
    reportsCached: true,
    isTurn: () => true,
  },
  {
    cli: 'claude-code',
    key: 'ANTHROPIC_API_KEY',
    // By default it tries again for three minutes.
    env: (url) => ({ ANTHROPIC_BASE_URL: url, CLAUDE_CODE_MAX_RETRIES: '1' }),
    write: (file, content) => ({
      calls: [
        { name: 'Bash', arguments: { command: `echo ${content} > ${file}`, description: 'Write' } },
      ],
    }),
    callMcp: (server, tool, argument) => ({
      name: `mcp__${server}__${tool}`,
      arguments: { ...argument },
    }),
    hasTurns: true,
    asksAgain: true,
    isQuick: true,
    reportsCached: true,
    isTurn: hasTools,
  },
  {
    cli: 'opencode',
    key: 'MOCK_API_KEY',
    env: (url) => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'mock/model',
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: '{env:MOCK_API_KEY}' },
            models: { model: {} },
          },
        },
      }),
    }),
    write: (file, content) => ({
      calls: [
        { name: 'bash', arguments: { command: `echo ${content} > ${file}`, description: 'Write' } },
      ],
    }),
    callMcp: (server, tool, argument) => ({
      name: `${server}_${tool}`,
      arguments: { ...argument },
    }),
    hasTurns: true,
    asksAgain: true,
    isQuick: false,
    reportsCached: true,
    isTurn: hasTools,
  },
  {
    cli: 'gemini-cli',
    key: 'GEMINI_API_KEY',
    // Otherwise it asks a model which model to use.
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: 'gemini-2.5-pro' }),
    write: (file, content) => ({
      calls: [{ name: 'run_shell_command', arguments: { command: `echo ${content} > ${file}` } }],
    }),
    callMcp: (server, tool, argument) => ({
      name: `mcp_${server}_${tool}`,
      arguments: { ...argument },
    }),
    hasTurns: true,
    asksAgain: false,
    isQuick: false,
    reportsCached: true,
    isTurn: hasTools,
  },
  {
    cli: 'aider',
    key: 'OPENAI_API_KEY',
    env: (url) => ({ OPENAI_API_BASE: `${url}/v1`, AIDER_MODEL: 'openai/mock' }),
    write: (file, content) => ({ text: `${file}\n\`\`\`\n${content}\n\`\`\`\n` }),
    hasTurns: false,
    asksAgain: true,
    isQuick: false,
    reportsCached: false,
    isTurn: () => true,
  },
]

/** The gate runs one CLI, which does all that the others do; full runs them all. */
export const subjectsOfTier = isFull ? subjects : subjects.filter(({ cli }) => cli === 'codex')
