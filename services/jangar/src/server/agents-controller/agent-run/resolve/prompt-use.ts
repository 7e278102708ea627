import { posix } from 'node:path'
import type { AgentProvider } from '@agents/jangar-api'

/** The variables and the file by which a program finds the system prompt. */
const mention = /(?:AGENT|CODEX)_SYSTEM_PROMPT_PATH|\/system-prompt\.txt/

/** Whether the provider's program takes the system prompt of a run, as far as the provider shows it. */
export function usesSystemPrompt({ spec }: AgentProvider): boolean {
  const { binary, argsTemplate, envTemplate, inputFiles, cli, usesSystemPrompt: declared } = spec
  if (declared !== undefined) return declared
  if (cli !== undefined && posix.basename(binary) === 'agent-runner') return true
  const written = JSON.stringify([binary, argsTemplate, envTemplate, inputFiles])
  return mention.test(written)
}

/** Set if a system prompt would be ignored. */
export function promptNote(provider: AgentProvider): string | undefined {
  if (usesSystemPrompt(provider)) return undefined
  return `AgentProvider ${provider.metadata.name} does not use the system prompt; if its program reads AGENT_SYSTEM_PROMPT_PATH, set spec.usesSystemPrompt to true`
}
