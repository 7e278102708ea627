import { posix } from 'node:path'
import type { Agent, AgentProvider } from '@agents/jangar-api'
import { type McpServer, mcpVariable } from '../../../../run-contract/mcp-server.ts'
import { usesMcp } from '../../../../run-contract/runner-spec.ts'
import type { SecretVariable } from './resolution.ts'
import type { SecretUse } from './secret-policy.ts'

type Server = NonNullable<Agent['spec']['mcpServers']>[number]

/** The Secrets of the agent's MCP servers. None if its program cannot use the servers. */
export function mcpSecretUses({ spec }: Agent, provider: AgentProvider): SecretUse[] {
  if (mcpProblem(provider) !== undefined) return []
  return (spec.mcpServers ?? []).flatMap((server) =>
    settingsOf(server).flatMap(({ valueFrom }) =>
      valueFrom === undefined
        ? []
        : [
            {
              ...valueFrom.secretKeyRef,
              purpose: `which MCP server ${server.name} of the agent uses`,
            },
          ],
    ),
  )
}

/** The same Secrets as variables of the container, from which the runner passes them to the servers. */
export function mcpVariables({ spec }: Agent, provider: AgentProvider): SecretVariable[] {
  if (mcpProblem(provider) !== undefined) return []
  return (spec.mcpServers ?? []).flatMap((server, at) =>
    settingsOf(server).flatMap(({ valueFrom }, index) => {
      if (valueFrom === undefined) return []
      const { name: secret, key } = valueFrom.secretKeyRef
      return [{ variable: mcpVariable(at, index), secret, key }]
    }),
  )
}

/** The servers as the runner reads them. */
export function runnerMcpServers(servers: readonly Server[]): McpServer[] {
  return servers.map((server, at) => {
    const { name, command, args, url, tools } = server
    const settings = settingsOf(server).map(({ valueFrom, ...setting }, index) => ({
      ...setting,
      ...(valueFrom && { variable: mcpVariable(at, index) }),
    }))
    return {
      name,
      ...(command !== undefined && { command, env: settings }),
      ...(args && { args }),
      ...(url !== undefined && { url, headers: settings }),
      ...(tools && { tools }),
    }
  })
}

/** A server has variables or headers, never both. */
function settingsOf({ env, headers }: Server) {
  return headers ?? env ?? []
}

/** Set if the agent's MCP servers would be ignored. */
export function mcpNote({ spec }: Agent, provider: AgentProvider): string | undefined {
  if (spec.mcpServers === undefined || spec.mcpServers.length === 0) return undefined
  const problem = mcpProblem(provider)
  return problem && `the agent has no tools of its MCP servers: ${problem}`
}

function mcpProblem({ metadata, spec: { binary, cli } }: AgentProvider): string | undefined {
  if (cli === undefined || posix.basename(binary) !== 'agent-runner') {
    return `AgentProvider ${metadata.name} has no cli`
  }
  return usesMcp(cli.name) ? undefined : `${cli.name} does not support MCP`
}
