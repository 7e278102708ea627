import type { Caller } from '../../../api/access/caller.ts'
import { ApiError } from '../../../api/api-error.ts'
import type { CallerClient } from '../../../api/caller-client.ts'
import { findRunByUid } from '../../../api/find-run-by-uid.ts'
import type { ListPorts } from '../../../api/list-runs.ts'
import { type RunSummary, runSummary } from '../../../api/run-summary.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import type { CallOperation } from './operations.ts'
import { okSchema, recordSchema, runRecord } from './run-record.ts'
import { newAgentRun, newOrchestrationRun } from './run-requests.ts'

interface RunPorts extends ListPorts {
  readonly callerClient: CallerClient
}

type Kind = 'AgentRun' | 'OrchestrationRun'

/** How the predecessor calls runs of a kind. */
const words = {
  AgentRun: { path: '/v1/agent-runs', one: 'agentRun', many: 'agentRuns', of: 'agent' },
  OrchestrationRun: {
    path: '/v1/orchestration-runs',
    one: 'orchestrationRun',
    many: 'orchestrationRuns',
    of: 'orchestration',
  },
} as const

interface StartedRun {
  readonly run: RunSummary
  readonly resource: object
}

const resource = { type: 'object', description: 'The object in the cluster or in the archive.' }

/** Runs, by the paths of the predecessor. */
export function predecessorRunRoutes(ports: RunPorts, call: CallOperation): readonly Route[] {
  return [
    ...routesOf('AgentRun', ports, call),
    ...routesOf('OrchestrationRun', ports, call),
    callerRoute({
      method: 'GET',
      path: '/v1/runs/{id}',
      id: 'getRunById',
      summary: 'Gets a run of any kind by its uid.',
      description: 'Needs the right to get the run, as `GET /v1/runs/{namespace}/{name}` does.',
      answers: {
        200: {
          description: 'The run.',
          schema: okSchema({
            kind: { type: 'string', enum: ['agent', 'orchestration', 'tool'] },
            run: recordSchema,
            resource,
          }),
        },
      },
      handle: async ({ path: { id = '' }, signal }, caller) => {
        const { run, record } = await findById(ports, caller, id, undefined, signal)
        const kind = run.kind.replace(/Run$/, '').toLowerCase()
        return { json: { ok: true, kind, run: record, resource: run } }
      },
    }),
  ]
}

function routesOf(kind: Kind, ports: RunPorts, call: CallOperation): readonly Route[] {
  const { path, one, many, of } = words[kind]
  const [byName, byId] = [`${of}Name`, `${of}Id`]
  const named = { ...pathParameters.name, description: `The name of the ${of}.` }
  const request = kind === 'AgentRun' ? newAgentRun : newOrchestrationRun
  const answer = okSchema({ [one]: recordSchema, resource })
  return [
    callerRoute({
      method: 'GET',
      path,
      id: `list${kind}s`,
      summary: `Lists the newest ${kind}s of one ${of}.`,
      description: `The ${kind}s that the caller may list, in the cluster and in the archive. \`GET /v1/runs\` has pages and more filters.`,
      query: {
        [byName]: { ...named, description: `The name of the ${of}. Required.` },
        [byId]: { ...named, description: `The same as ${byName}.` },
        namespace: {
          ...pathParameters.namespace,
          description: 'If omitted, all namespaces whose runs the caller may list.',
        },
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: 500, default: 50 },
          description: 'How many at most.',
        },
      },
      answers: {
        200: {
          description: 'The runs, newest first.',
          schema: okSchema(
            {
              [many]: { type: 'array', items: recordSchema },
              archive: {
                const: 'unavailable',
                description: 'Present if the archive does not answer: archived runs are missing.',
              },
            },
            [many],
          ),
        },
      },
      handle: async ({ query: given, signal }, caller) => {
        const query = given as Readonly<Record<string, string | number | undefined>>
        const name = nameIn(query[byName], query[byId], [byName, byId])
        const { namespace, limit } = query
        const question = { kind, namespace, name, limit: Number(limit) }
        const { items, archive } = await newestOf(call, caller, question, signal)
        return { json: { ok: true, [many]: items.map(runRecord), ...(archive && { archive }) } }
      },
    }),
    callerRoute({
      method: 'POST',
      path,
      id: `create${kind}`,
      summary: `Starts an ${kind}.`,
      description:
        'As `POST /v1/runs`: the same request again answers with the same run, as long as it exists; another body with the same key is a conflict.',
      headers: {
        'idempotency-key': {
          required: true,
          schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
        },
      },
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 1024 * 1024 },
        schema: request.schema,
      },
      answers: {
        200: { description: 'The run that the same request started before.', schema: answer },
        201: { description: 'The new run.', schema: answer },
      },
      handle: async ({ body, headers, signal }, caller) => {
        const run = request.of(body as Readonly<Record<string, unknown>>)
        const key = headers['idempotency-key']
        const start = { operation: 'submitRun', body: run, headers: { 'idempotency-key': key } }
        const { status, json } = await call<StartedRun>(caller, start, signal)
        return {
          status,
          json: { ok: true, [one]: runRecord(json.run), resource: json.resource },
        }
      },
    }),
    callerRoute({
      method: 'GET',
      path: `${path}/{id}`,
      id: `get${kind}`,
      summary: `Gets an ${kind} by its uid.`,
      description: 'Needs the right to get the run, as `GET /v1/runs/{namespace}/{name}` does.',
      answers: { 200: { description: 'The run.', schema: answer } },
      handle: async ({ path: { id = '' }, signal }, caller) => {
        const { run, record } = await findById(ports, caller, id, kind, signal)
        return { json: { ok: true, [one]: record, resource: run } }
      },
    }),
  ]
}

async function findById(
  ports: RunPorts,
  caller: Caller,
  uid: string,
  kind: Kind | undefined,
  signal: AbortSignal,
) {
  const found = await findRunByUid(ports.callerClient, ports, caller, uid, kind, signal)
  const run = { ...found.run, kind: found.kind.kind }
  const summary = runSummary(run)
  return { run, record: runRecord(found.isArchived ? { ...summary, archived: true } : summary) }
}

function nameIn(
  name: string | number | undefined,
  id: string | number | undefined,
  [byName, byId]: readonly [string, string] | readonly string[],
): string {
  const given = name ?? id
  if (given === undefined) {
    throw new ApiError('BadRequest', `query parameter ${byName} or ${byId} is required`)
  }
  if (name !== undefined && id !== undefined && name !== id) {
    throw new ApiError('BadRequest', `${byName} and ${byId} must be the same if both are given`)
  }
  return String(given)
}

interface Page {
  readonly items: readonly RunSummary[]
  readonly archive?: 'unavailable'
}

interface Question {
  readonly kind: Kind
  readonly namespace: string | number | undefined
  /** Of the Agent or Orchestration. */
  readonly name: string
  readonly limit: number
}

async function newestOf(
  call: CallOperation,
  caller: Caller,
  { kind, namespace, name, limit }: Question,
  signal: AbortSignal,
): Promise<Page> {
  const of = kind === 'AgentRun' ? { agent: name } : { orchestration: name }
  const query = { kind, namespace, label: [], limit, ...of }
  return (await call<Page>(caller, { operation: 'listRuns', query }, signal)).json
}
