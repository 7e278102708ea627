import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Answer } from '../route.ts'
import { tools } from './all-tools.ts'
import { callTool, type ToolPorts } from './call-tool.ts'
import { listResources, readResource, resourceTemplates } from './resources.ts'

interface McpPorts extends ToolPorts {
  readonly version: string
}

interface McpMessage {
  readonly body: unknown
  readonly protocolVersion: string | undefined
  readonly signal: AbortSignal
}

/** Answers one message of the Model Context Protocol. Nothing is kept between messages. */
export async function answerMessage(
  ports: McpPorts,
  caller: Caller,
  { body, protocolVersion, signal }: McpMessage,
): Promise<Answer> {
  const { version, ...shared } = ports
  const server = new Server(
    { name: 'agents', version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions:
        'Starts and follows runs of agents in a Kubernetes cluster, with the rights of the caller.',
    },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, input, isReadOnly }) => ({
      name,
      description,
      inputSchema: input as { type: 'object' },
      annotations: { readOnlyHint: isReadOnly, openWorldHint: false },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(ports, caller, params, signal),
  )
  const by = { ...shared, caller, signal }
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(by, params))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(by, params))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  try {
    await server.connect(transport as Transport)
    // The form of the request was checked before, and the answer is always JSON.
    const request = new Request('https://localhost/mcp', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(protocolVersion !== undefined && { 'mcp-protocol-version': protocolVersion }),
      },
    })
    return await answerOf(await transport.handleRequest(request, { parsedBody: body }))
  } finally {
    await server.close()
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const { status } = response
  if (status === 202) return { status, text: '' }
  if (status === 200) return { text, contentType: 'application/json; charset=utf-8' }
  throw new ApiError('BadRequest', problemOf(text))
}

function problemOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } }
    return error?.message ?? 'the message is not understood'
  } catch {
    return 'the message is not understood'
  }
}
