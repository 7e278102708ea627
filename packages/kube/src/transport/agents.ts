import type { Agent } from 'node:http'
import { createSecureContext } from 'node:tls'
import type { ClientCertificate, TlsOptions } from './connection.ts'
import { HttpAgent, HttpsAgent } from './http-modules.ts'

/** Shorter than the idle timeouts of servers and load balancers, so that the client closes idle connections first. */
const idleMs = 50_000

/**
 * Returns the agent for the current certificates. Connections with older certificates are closed after their requests.
 */
interface AgentPool {
  agentFor(authority: string | undefined, own: ClientCertificate | undefined): Agent
  destroy(): void
}

export function createAgentPool(secure: boolean, tls: TlsOptions): AgentPool {
  const common = {
    keepAlive: true,
    keepAliveMsecs: 30_000,
    timeout: idleMs,
    scheduling: 'lifo',
    maxFreeSockets: 64,
  } as const
  let latest: { authority?: string | undefined; own?: ClientCertificate | undefined } = {}
  let agent: Agent | undefined
  const agents = new Set<Agent>()

  const create = ({ authority, own }: typeof latest): Agent => {
    if (!secure) return new HttpAgent(common)
    return new HttpsAgent({
      ...common,
      // Shared: otherwise each connection parses and keeps the certificates.
      secureContext: createSecureContext({
        ...(authority !== undefined && { ca: authority }),
        ...(own !== undefined && { cert: own.certificate, key: own.key }),
        minVersion: 'TLSv1.2',
      }),
      ...(tls.serverName !== undefined && { servername: tls.serverName }),
      ...(tls.insecureSkipVerify === true && { rejectUnauthorized: false }),
    })
  }
  return {
    agentFor: (authority, own) => {
      if (agent !== undefined && latest.authority === authority && latest.own === own) return agent
      // Throws for invalid certificates, and then leaves the current agent as it is.
      const next = create({ authority, own })
      if (agent !== undefined) retire(agent, agents)
      latest = { authority, own }
      agent = next
      agents.add(next)
      return next
    },
    destroy: () => {
      for (const each of agents) each.destroy()
      agents.clear()
    },
  }
}

/** Closes idle sockets. Active requests continue, and their sockets are not kept afterwards. */
function retire(agent: Agent, agents: Set<Agent>): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
  if (Object.keys(agent.sockets).length === 0) agents.delete(agent)
}
