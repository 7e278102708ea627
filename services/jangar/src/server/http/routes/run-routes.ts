import type { MayDo } from '../../api/access/authorizer.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import { findRun } from '../../api/find-run.ts'
import { listRuns, type RunSource } from '../../api/list-runs.ts'
import { runSummary } from '../../api/run-summary.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import { anyKind, runPageSchema, runSchema } from './run-schemas.ts'

interface RunPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  readonly callerClient: CallerClient
}

export function runRoutes({ sources, mayDo, callerClient }: RunPorts): readonly Route[] {
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/runs',
      id: 'listRuns',
      summary: 'Lists runs, newest first.',
      description: 'Lists the runs in the cluster of all kinds that the caller may list.',
      query: {
        namespace: {
          ...pathParameters.namespace,
          description: 'If omitted, all namespaces whose runs the caller may list.',
        },
        kind: { ...anyKind, description: 'The kind of run. If omitted, all kinds.' },
        phase: { type: 'string', maxLength: 63, description: 'The phase, such as `Running`.' },
        agent: { ...pathParameters.name, description: 'The Agent of AgentRuns.' },
        label: {
          type: 'array',
          items: { type: 'string', maxLength: 400, minLength: 1 },
          maxItems: 10,
          description: 'A label that the runs have: `key=value`, or `key` for any value.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          default: 50,
          description: 'Runs per page.',
        },
        cursor: { type: 'string', maxLength: 200, description: 'The `next` of the page before.' },
      },
      answers: { 200: { description: 'A page of runs.', schema: runPageSchema } },
      handle: async ({ query }, caller) => {
        const { label: labels, ...rest } = query
        return { json: await listRuns(sources, mayDo, caller, { ...rest, labels }) }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/runs/{namespace}/{name}',
      id: 'getRun',
      summary: 'Gets a run.',
      description: 'Asks the API server with the token of the caller.',
      query: { kind: anyKind },
      answers: { 200: { description: 'The run.', schema: runSchema } },
      handle: async ({ path: { namespace = '', name = '' }, query, signal }, caller) => {
        const { run } = await findRun(callerClient, caller, { namespace, name }, query.kind, signal)
        return { json: { run: runSummary(run), resource: run } }
      },
    }),
  ]
}
