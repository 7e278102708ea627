import type { Logger } from '@agents/log'
import type { MayDo } from '../../api/access/authorizer.ts'
import { ApiError } from '../../api/api-error.ts'
import type { ArchivedRuns } from '../../api/archived-runs.ts'
import type { CallerClient } from '../../api/caller-client.ts'
import { findAnyRun } from '../../api/find-run.ts'
import { listRuns, pageText, type RunSource } from '../../api/list-runs.ts'
import { timeIn } from '../../api/run-position.ts'
import { repositoryKey } from '../../api/run-repository.ts'
import { runSummary } from '../../api/run-summary.ts'
import { wordsOf } from '../../api/run-words.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import { anyKind, runPageSchema, runSchema } from './run-schemas.ts'

interface RunPorts {
  readonly sources: readonly RunSource[]
  readonly mayDo: MayDo
  readonly callerClient: CallerClient
  readonly archive: ArchivedRuns | undefined
  readonly log: Logger
}

export function runRoutes(ports: RunPorts): readonly Route[] {
  const { callerClient } = ports
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/runs',
      id: 'listRuns',
      summary: 'Lists runs, newest first.',
      description:
        'Lists the runs of all kinds that the caller may list, in the cluster and in the archive. A run that is in both is listed once, as it is in the cluster.',
      query: {
        namespace: {
          ...pathParameters.namespace,
          description: 'If omitted, all namespaces whose runs the caller may list.',
        },
        kind: { ...anyKind, description: 'The kind of run. If omitted, all kinds.' },
        phase: {
          ...{ type: 'string', maxLength: 63, pattern: '^[A-Za-z]+$' },
          description: 'The phase, such as `Running`.',
        },
        agent: { ...pathParameters.name, description: 'The Agent of AgentRuns.' },
        orchestration: {
          ...pathParameters.name,
          description: 'The Orchestration of OrchestrationRuns.',
        },
        repository: {
          ...{ type: 'string', minLength: 1, maxLength: 253 },
          pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$',
          description:
            'The repository that AgentRuns work in, as owner/name. The case of ASCII letters does not matter.',
        },
        label: {
          type: 'array',
          items: {
            type: 'string',
            maxLength: 400,
            minLength: 1,
            pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$',
          },
          maxItems: 10,
          description: 'A label that the runs have: `key=value`, or `key` for any value.',
        },
        text: {
          ...{ type: 'string', maxLength: 400, minLength: 1 },
          description:
            'Words that all occur in the name of the run, what it runs, why it ended, its text or its parameters. The case of ASCII letters does not matter.',
        },
        since: { ...time, description: 'Created at this time or later.' },
        until: { ...time, description: 'Created before this time.' },
        source: {
          ...{ type: 'string', enum: ['cluster', 'archive'] as const },
          description: 'Only runs in the cluster, or only archived ones. If omitted, both.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: 50,
          description: 'Runs per page.',
        },
        cursor: { type: 'string', maxLength: 200, description: 'The `next` of the page before.' },
      },
      answers: { 200: { description: 'A page of runs.', schema: runPageSchema } },
      handle: async ({ query }, caller) => {
        const { label: labels, text, repository, since, until, ...rest } = query
        const filter = {
          ...{ labels, words: wordsIn(text) },
          repository: repository === undefined ? undefined : repositoryKey(repository),
          since: timeIn('since', since),
          until: timeIn('until', until),
        }
        const page = await listRuns(ports, caller, { ...rest, ...filter })
        return { text: pageText(page), contentType: 'application/json; charset=utf-8' }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/runs/{namespace}/{name}',
      id: 'getRun',
      summary: 'Gets a run.',
      description:
        'Asks the API server with the token of the caller. A run that is not there is looked for in the archive.',
      query: {
        kind: anyKind,
        uid: {
          ...{ type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
          description: 'The run of this uid. If omitted, the newest run of the name.',
        },
      },
      answers: { 200: { description: 'The run.', schema: runSchema } },
      handle: async ({ path: { namespace = '', name = '' }, query, signal }, caller) => {
        const key = { namespace, name }
        const found = await findAnyRun(callerClient, ports, caller, key, query, signal)
        const summary = runSummary(found.run)
        return {
          json: {
            run: found.isArchived ? { ...summary, archived: true } : summary,
            resource: found.run,
          },
        }
      },
    }),
  ]
}

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const

function wordsIn(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const words = [...wordsOf(text)]
  if (words.length === 0) throw new ApiError('BadRequest', 'query parameter text must have a word')
  return words
}
