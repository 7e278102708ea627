import { agentRun } from '@agents/jangar-api'
import { type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { listOf, type MayDo } from '../../../api/access/authorizer.ts'
import type { Caller } from '../../../api/access/caller.ts'
import { ApiError, apiErrorOf } from '../../../api/api-error.ts'
import type { CallerClient } from '../../../api/caller-client.ts'
import type { RunSource } from '../../../api/list-runs.ts'
import { needRunsOf } from '../../../api/need-runs.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import type { JsonSchema } from '../../schema.ts'
import type { ReadStatus } from '../../status-reader.ts'
import { allKinds } from './kinds.ts'
import { okSchema } from './run-record.ts'

export interface OverviewPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  readonly callerClient: CallerClient
  /** Undefined if the process does not know it. */
  readonly readStatus: ReadStatus | undefined
}

const base = '/api/agents/control-plane'
const { namespace } = pathParameters
const agentRuns = kindRef<KubeObject>(agentRun)

/** What the control plane does and has in a namespace, by the paths of the predecessor. */
export function predecessorOverviewRoutes(ports: OverviewPorts): readonly Route[] {
  const { mayDo, readStatus } = ports
  return [
    callerRoute({
      method: 'GET',
      path: `${base}/status`,
      id: 'getStatus',
      summary: 'The status of the control plane.',
      description:
        'Of the controllers, wherever they run, the database and the gRPC port. Needs the right to list AgentRuns in the namespace.',
      query: { namespace },
      requiredQuery: ['namespace'],
      answers: { 200: { description: 'The status.', schema: statusSchema } },
      handle: async ({ query }, caller) => {
        const place = query.namespace ?? ''
        if (!(await mayDo(caller, listOf(agentRuns, place)))) throw refusal(caller, place)
        if (readStatus === undefined) {
          throw new ApiError('Unavailable', 'this process does not know the status')
        }
        return { json: { ok: true, ...(await readStatus(place)) } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: `${base}/summary`,
      id: 'summarizeResources',
      summary: 'Counts the objects of each kind in a namespace.',
      description:
        'Of the kinds that the caller may list there; others are left out. Runs are counted by phase, too.',
      query: { namespace },
      requiredQuery: ['namespace'],
      answers: {
        200: {
          description: 'The counts.',
          schema: okSchema({
            namespace: { type: 'string' },
            counts: counts('How many objects of each kind.'),
            phases: {
              type: 'object',
              additionalProperties: counts('How many runs in each phase.'),
            },
          }),
        },
      },
      handle: async ({ query, signal }, caller) => {
        const place = query.namespace ?? ''
        const found = (
          await Promise.all(
            allKinds.map(async (kind) => countOf(ports, caller, kind, place, signal)),
          )
        ).filter((each) => each !== undefined)
        if (found.length === 0) throw refusal(caller, place)
        const phases = found.flatMap((each) =>
          each.phases === undefined ? [] : [[each.kind, each.phases] as const],
        )
        return {
          json: {
            ok: true,
            namespace: place,
            counts: Object.fromEntries(found.map(({ kind, count }) => [kind, count])),
            phases: Object.fromEntries(phases),
          },
        }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/api/agents/events',
      id: 'readAgentMessages',
      summary: 'Where the messages of agents are.',
      description:
        'Always 410: there is no bus of messages. What agents write is the output of their runs.',
      query: {
        runId: { type: 'string' },
        workflowUid: { type: 'string' },
        channel: { type: 'string' },
        limit: { type: 'integer', minimum: 1, maximum: 1000 },
      },
      answers: { 200: { description: 'Never answered.' } },
      handle: () => {
        throw new ApiError(
          'Gone',
          'messages of agents are not kept apart: read the output of a run at /v1/runs/{namespace}/{name}/logs, and changes of runs at /v1/events',
        )
      },
    }),
  ]
}

interface Count {
  readonly kind: string
  readonly count: number
  readonly phases?: Readonly<Record<string, number>>
}

/** Undefined if the caller may not list the kind, or the cluster does not have it. */
async function countOf(
  { sources, mayDo, callerClient }: OverviewPorts,
  caller: Caller,
  kind: KindRef,
  place: string,
  signal: AbortSignal,
): Promise<Count | undefined> {
  const source = sources.find(({ cache }) => cache.kind.kind === kind.kind)
  if (source !== undefined) {
    if (!(await mayDo(caller, listOf(kind, place)))) return undefined
    needRunsOf(place, [source])
    const runs = source.cache.list(place)
    const groups = Map.groupBy(runs, ({ status }) => status?.phase ?? 'Pending')
    const phases = Object.fromEntries([...groups].map(([phase, all]) => [phase, all.length]))
    return { kind: kind.kind, count: runs.length, phases }
  }
  try {
    // The API server says how many more there are, so that they need not be read.
    const page = await callerClient.list(caller, kind, place, { limit: 1 }, signal)
    return { kind: kind.kind, count: page.items.length + (page.metadata.remainingItemCount ?? 0) }
  } catch (error) {
    const { code } = apiErrorOf(error)
    if (code === 'Forbidden' || code === 'NotFound') return undefined
    throw error
  }
}

function refusal({ username }: Caller, place: string): ApiError {
  return new ApiError('Forbidden', `${username} may not list AgentRuns in namespace ${place}`)
}

function counts(description: string): JsonSchema {
  return { type: 'object', description, additionalProperties: { type: 'integer' } }
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const health = { ...text, enum: ['healthy', 'degraded', 'disabled', 'unknown'] }
const component = { status: health, message: text }

function listOfObjects(properties: JsonSchema): JsonSchema {
  return { type: 'array', items: { type: 'object', required: ['status'], properties } }
}

const statusSchema: JsonSchema = okSchema({
  service: text,
  generated_at: { ...text, format: 'date-time' },
  controllers: listOfObjects({
    ...{ name: text, enabled: flag, started: flag, crds_ready: flag, ...component },
    missing_crds: { type: 'array', items: text },
    last_checked_at: { ...text, format: 'date-time' },
  }),
  runtime_adapters: listOfObjects({ name: text, available: flag, endpoint: text, ...component }),
  database: {
    ...{ type: 'object', required: ['configured', 'connected', 'status'] },
    properties: {
      ...{ configured: flag, connected: flag, latency_ms: { type: 'number' }, ...component },
    },
  },
  grpc: {
    ...{ type: 'object', required: ['enabled', 'status'] },
    properties: { enabled: flag, address: text, ...component },
  },
  namespaces: listOfObjects({
    ...{ namespace: text, status: health, degraded_components: { type: 'array', items: text } },
  }),
})
