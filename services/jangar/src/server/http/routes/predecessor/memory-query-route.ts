import type { MayDo } from '../../../api/access/authorizer.ts'
import { ApiError } from '../../../api/api-error.ts'
import type { CallerClient } from '../../../api/caller-client.ts'
import { invoke } from '../../mcp/invoke.ts'
import type { RouteCall } from '../../mcp/tools.ts'
import { useMemory } from '../../mcp/use-memory.ts'
import type { NoteAct } from '../../note-act.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import { okSchema } from './run-record.ts'

interface QueryPorts {
  readonly callerClient: CallerClient
  readonly mayDo: MayDo
  readonly noteAct: NoteAct | undefined
}

interface MemoryQuery {
  /** `name`, or `namespace/name`. */
  readonly memoryRef: string
  readonly namespace?: string
  readonly query: string
  readonly limit?: number
}

interface Found {
  readonly run: string
  readonly count: number
  readonly entries: readonly object[]
  readonly omitted: number
}

const longestSeconds = 45

/** Searches a Memory as the tool `recall` does: a pod of the namespace asks the store, never the control plane. */
export function memoryQueryRoute(routes: readonly Route[], ports: QueryPorts): Route {
  const { callerClient, mayDo, noteAct } = ports
  return callerRoute({
    method: 'POST',
    path: '/v1/memory-queries',
    id: 'queryMemory',
    summary: 'Finds texts in a Memory.',
    description:
      'Starts a run with a step of kind MemoryOp as the caller, and waits for its end. Needs the rights to create Orchestrations, OrchestrationRuns, AgentRuns and ToolRuns, and to get the Memory.',
    body: {
      ...{ form: 'json', contentType: 'application/json', maxBytes: 64 * 1024 },
      schema: {
        ...{ type: 'object', additionalProperties: false, required: ['memoryRef', 'query'] },
        properties: {
          memoryRef: {
            ...{ type: 'string', maxLength: 317 },
            pattern: '^([a-z0-9]([a-z0-9-]*[a-z0-9])?/)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
            description: 'The name of the Memory, or its namespace and name: `agents/notes`.',
          },
          namespace: {
            ...pathParameters.namespace,
            description: 'Required unless memoryRef has it.',
          },
          query: {
            ...{ type: 'string', minLength: 1, maxLength: 1024, pattern: '^[^\\x00]*$' },
            description: 'Words to find, as in a search engine: "a phrase", or, -without.',
          },
          limit: {
            ...{ type: 'integer', minimum: 1, maximum: 20 },
            description: 'How many texts at most. Default 10.',
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The texts, best matches first.',
        schema: okSchema({
          run: { type: 'string', description: 'The OrchestrationRun that searched.' },
          count: { type: 'integer' },
          results: { type: 'array', items: { type: 'object' } },
          omitted: { type: 'integer', description: 'Texts that were found and did not fit.' },
        }),
      },
    },
    handle: async ({ body, signal }, caller) => {
      const given = body as MemoryQuery
      const { namespace, memory } = placeOf(given)
      const { query, limit = 10 } = given
      const call = (request: RouteCall, until: AbortSignal) =>
        invoke({ routes, noteAct }, caller, request, until)
      const found = (await useMemory(
        { caller, callerClient, mayDo, call, signal },
        {
          ...{ tool: 'recall', namespace, memory, timeoutSeconds: longestSeconds },
          act: { op: 'search', query, limit: String(limit) },
        },
      )) as Found
      const { run, count, entries, omitted } = found
      return { json: { ok: true, run, count, results: entries, omitted } }
    },
  })
}

function placeOf({ memoryRef, namespace }: MemoryQuery) {
  const [first = '', second] = memoryRef.split('/')
  if (second === undefined) {
    if (namespace !== undefined) return { namespace, memory: first }
    throw new ApiError('BadRequest', 'the body must have namespace, or memoryRef must have it')
  }
  if (namespace !== undefined && namespace !== first) {
    throw new ApiError('BadRequest', 'namespace must be that of memoryRef if both are given')
  }
  return { namespace: first, memory: second }
}
