import type { Logger } from '@agents/log'
import type { MayDo } from '../../api/access/authorizer.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import type { NoteAct } from '../note-act.ts'
import { callerRoute, type Route } from '../route.ts'

interface McpRoutePorts {
  readonly version: string
  readonly log: Logger
  readonly callerClient: CallerClient
  readonly mayDo: MayDo
  readonly noteAct: NoteAct | undefined
}

/** The tools, which call the given routes as the caller. */
export function mcpRoute(routes: readonly Route[], ports: McpRoutePorts): Route {
  const { version, log, callerClient, mayDo, noteAct } = ports
  const route = callerRoute({
    method: 'POST',
    path: '/mcp',
    id: 'callTools',
    summary: 'The tools for agents, by the Model Context Protocol.',
    description:
      'Streamable HTTP without sessions: each message is answered by itself, with JSON. The tools act with the rights of the caller.',
    headers: {
      'mcp-protocol-version': {
        schema: {
          ...{ type: 'string', maxLength: 20, pattern: '^[0-9A-Za-z.-]+$' },
          description: 'The version that the client and the server agreed on.',
        },
      },
    },
    body: {
      ...{ form: 'json', contentType: 'application/json', maxBytes: 1024 * 1024 },
      schema: {
        type: 'object',
        required: ['jsonrpc'],
        properties: { jsonrpc: { type: 'string', enum: ['2.0'] } },
      },
    },
    answers: {
      200: {
        description: 'The answer, which may be an error of the protocol.',
        schema: {
          type: 'object',
          required: ['jsonrpc'],
          properties: { jsonrpc: { type: 'string', enum: ['2.0'] } },
        },
      },
      202: { description: 'The message needs no answer.' },
    },
    handle: async ({ body, headers, signal }, caller) => {
      // Loaded here: the protocol's library is large, and most control planes are never asked.
      const { answerMessage } = await import('../mcp/answer-message.ts')
      const protocolVersion = headers['mcp-protocol-version']
      const message = { body, protocolVersion, signal }
      const shared = { routes, version, log, callerClient, mayDo, noteAct }
      return await answerMessage(shared, caller, message)
    },
  })
  return { ...route, refusesOtherOrigins: true }
}
