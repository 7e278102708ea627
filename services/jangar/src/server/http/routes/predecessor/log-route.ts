import { agentRun } from '@agents/jangar-api'
import { kindRef, type Pod } from '@agents/kube'
import type { Caller } from '../../../api/access/caller.ts'
import { apiErrorOf } from '../../../api/api-error.ts'
import type { CallerClient } from '../../../api/caller-client.ts'
import { podsOfRun } from '../../../api/run-logs.ts'
import type { AnyRun } from '../../../api/run-summary.ts'
import { textOf } from '../../mcp/call-tool.ts'
import { invoke } from '../../mcp/invoke.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import { okSchema } from './run-record.ts'

const kind = kindRef<AnyRun>(agentRun)
const text = { type: 'string' } as const
const { namespace, name } = pathParameters

/** The output of an AgentRun with its pods, by the path of the predecessor. */
export function predecessorLogRoute(
  routes: readonly Route[],
  { callerClient }: { readonly callerClient: CallerClient },
): Route {
  return callerRoute({
    method: 'GET',
    path: '/api/agents/control-plane/logs',
    id: 'readRunLogs',
    summary: 'Reads the last output of an AgentRun.',
    description:
      'The last lines of a pod, at most 128 KiB of them. `GET /v1/runs/{namespace}/{name}/logs` has all of it, follows, and knows ToolRuns. The caller needs the same rights.',
    query: {
      name: { ...name, description: 'The name of the AgentRun.' },
      namespace,
      pod: { ...name, description: 'The pod. If omitted, the newest.' },
      container: {
        ...namespace,
        description: 'The container. If omitted, that of the agent.',
      },
      tailLines: {
        ...{ type: 'integer', minimum: 1, maximum: 5000, default: 500 },
        description: 'The last lines.',
      },
    },
    requiredQuery: ['name', 'namespace'],
    answers: {
      200: {
        description: 'The output. Empty if the run has no pod yet.',
        schema: okSchema(
          {
            pods: { type: 'array', items: podSchema },
            logs: text,
            pod: { ...text, description: 'The pod of the output. Absent if its pods are gone.' },
            container: text,
          },
          ['pods', 'logs'],
        ),
      },
    },
    handle: async ({ query, signal }, caller) => {
      const key = { namespace: query.namespace ?? '', name: query.name ?? '' }
      const run = await callerClient.get(caller, kind, key, signal)
      const pods = await podsOfRun(callerClient, caller, kind, run, signal)
      const pod = query.pod ?? pods.at(-1)?.metadata.name
      const logs = await outputOf(routes, caller, key, { ...query, pod }, signal)
      const spec = pods.find(({ metadata }) => metadata.name === pod)?.spec
      const container = query.container ?? spec?.containers[0]?.name
      return {
        json: {
          ok: true,
          pods: pods.map(podRecord),
          logs,
          ...(pod !== undefined && { pod }),
          ...(container !== undefined && { container }),
        },
      }
    },
  })
}

const podSchema = {
  ...{ type: 'object', required: ['name', 'phase', 'containers'] },
  properties: {
    name: text,
    phase: text,
    containers: {
      type: 'array',
      items: {
        ...{ type: 'object', required: ['name', 'type'] },
        properties: { name: text, type: { ...text, enum: ['main', 'init'] } },
      },
    },
  },
}

function podRecord({ metadata, spec, status }: Pod): object {
  const { initContainers = [], containers } = spec
  return {
    name: metadata.name,
    phase: status?.phase ?? 'Pending',
    containers: [
      ...containers.map((each) => ({ name: each.name, type: 'main' })),
      ...initContainers.map((each) => ({ name: each.name, type: 'init' })),
    ],
  }
}

async function outputOf(
  routes: readonly Route[],
  caller: Caller,
  path: { readonly namespace: string; readonly name: string },
  { pod, container, tailLines }: Readonly<Record<string, string | number | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const query = { kind: kind.kind, pod, container, tailLines, follow: false }
  const request = { operation: 'readLogs', path, query }
  try {
    return await textOf(await invoke({ routes, noteAct: undefined }, caller, request, signal))
  } catch (error) {
    // Without a pod there is no output, unless it is kept elsewhere.
    if (pod === undefined && apiErrorOf(error).code === 'NotFound') return ''
    throw error
  }
}
