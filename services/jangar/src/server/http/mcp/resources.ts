import type { Logger } from '@agents/log'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Caller } from '../../api/access/caller.ts'
import { type ApiError, apiErrorOf } from '../../api/api-error.ts'
import { checkPathParameters } from '../path-pattern.ts'
import { textOf } from './call-tool.ts'
import { type InvokePorts, invoke } from './invoke.ts'
import type { RouteCall } from './tools.ts'

interface ResourcePorts extends InvokePorts {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly log: Logger
}

const mimeType = 'application/json'
/** Of a page: they are for people to choose from. */
const listed = 50
/** As the protocol says for a resource that is not there. */
const notFoundCode = -32_002

/** What the address of a resource consists of. */
export const resourceTemplates = [
  {
    uriTemplate: 'agents://runs/{namespace}/{kind}/{name}',
    name: 'run',
    description: 'A run, archived ones included: `agents://runs/team-a/AgentRun/fix-login`.',
    mimeType,
  },
  {
    uriTemplate: 'agents://agents/{namespace}/{name}',
    name: 'agent',
    description: 'An agent that runs can be started with.',
    mimeType,
  },
]

interface ListedRun {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly phase?: string
}

/** The runs that the caller may list, newest first. A name that was used again is that of the newest. */
export async function listResources(
  ports: ResourcePorts,
  params: { readonly cursor?: string | undefined } | undefined,
) {
  const query = { limit: listed, cursor: params?.cursor, label: [] }
  const page = JSON.parse(await ask(ports, { operation: 'listRuns', query })) as {
    readonly items: readonly ListedRun[]
    readonly next?: string
  }
  const addresses = new Map(
    page.items.map((run) => [`agents://runs/${run.namespace}/${run.kind}/${run.name}`, run]),
  )
  return {
    resources: [...addresses].map(([uri, { kind, namespace, name, phase }]) => ({
      ...{ uri, name: `${namespace}/${name}`, mimeType },
      description: phase === undefined ? kind : `${kind}, ${phase}`,
    })),
    ...(page.next !== undefined && { nextCursor: page.next }),
  }
}

/** Reads a resource as the caller. */
export async function readResource(ports: ResourcePorts, { uri }: { readonly uri: string }) {
  return { contents: [{ uri, mimeType, text: await ask(ports, callFor(uri)) }] }
}

function callFor(uri: string): RouteCall {
  const [, of, ...segments] = /^agents:\/\/(runs|agents)\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(
    uri,
  ) ?? [undefined, undefined]
  const [namespace, second, third] = segments
  if (of === 'runs' && third !== undefined) {
    return { operation: 'getRun', path: { namespace, name: third }, query: { kind: second } }
  }
  if (of === 'agents' && third === undefined) {
    const kind = 'agents.agents.proompteng.ai'
    return { operation: 'getObject', path: { kind, namespace, name: second } }
  }
  throw failureOf(
    notFoundCode,
    'unknown resource; resources/templates/list returns the valid forms',
  )
}

async function ask(ports: ResourcePorts, call: RouteCall) {
  const { caller, signal, log } = ports
  try {
    checkPathParameters((call.path ?? {}) as Readonly<Record<string, string>>)
    return await textOf(await invoke(ports, caller, call, signal))
  } catch (error) {
    const failure = apiErrorOf(error)
    if (failure.code === 'Internal') log.error('resource not read', { error })
    throw protocolError(failure)
  }
}

function protocolError({ code, message }: ApiError): Error {
  const says = `${code}: ${message}`
  if (code === 'NotFound') return failureOf(notFoundCode, says)
  const isOurs = code === 'Internal' || code === 'Unavailable'
  return failureOf(isOurs ? ErrorCode.InternalError : ErrorCode.InvalidRequest, says)
}

/** An `McpError` would put the code into the message, where clients put it again. */
function failureOf(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}
