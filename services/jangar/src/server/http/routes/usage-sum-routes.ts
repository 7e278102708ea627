import { agentRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { listOf, type MayDo } from '../../api/access/authorizer.ts'
import type { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import type { ArchivedRuns, UsageSum } from '../../api/archived-runs.ts'
import { timeIn } from '../../api/run-position.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import type { JsonSchema } from '../schema.ts'

interface UsageSumPorts {
  readonly archive: ArchivedRuns | undefined
  readonly mayDo: MayDo
}

const time = { type: 'string', format: 'date-time', maxLength: 40 } as const
const count = { type: 'integer', minimum: 0 } as const

const query = {
  namespace: { ...pathParameters.namespace, description: 'If omitted, all namespaces.' },
  by: {
    type: 'string',
    enum: ['agent', 'namespace', 'model', 'day', 'label'],
    description: 'What is summed up. If omitted, agents. Days are those of UTC.',
  },
  label: {
    type: 'string',
    maxLength: 317,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$',
    description: 'The key of the label, if `by` is `label`.',
  },
  model: {
    type: 'string',
    maxLength: 253,
    description: 'Only what this model has used. If empty, models that are not known.',
  },
  since: { ...time, description: 'Used at this time or later.' },
  until: { ...time, description: 'Used before this time.' },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 1000,
    description: 'How many sums, the largest first.',
  },
} as const

const sumsSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['group', 'runs', 'tokens', 'dollars', 'unpricedTokens'],
        properties: {
          group: {
            type: 'string',
            description:
              'The agent, namespace, model, day or value of the label. Empty for runs that have none, and for models that are not known.',
          },
          runs: { ...count, description: 'A run that used several models is one of each.' },
          tokens: count,
          dollars: { type: 'string', description: 'US dollars for tokens with a known price.' },
          unpricedTokens: { ...count, description: 'Tokens whose price is not known.' },
        },
      },
    },
  },
}

const description =
  'From the ledger, so that deleted runs count, and those that work as far as they have reported. Needs the right to list AgentRuns in the namespace or, without one, in the cluster.'

/** What runs have used. */
export function usageSumRoutes({ archive, mayDo }: UsageSumPorts): readonly Route[] {
  const sums = async (
    { namespace, by = 'agent', label, model, since, until, limit }: Query,
    caller: Caller,
  ): Promise<readonly UsageSum[]> => {
    if (!(await mayDo(caller, listOf(kindRef(agentRun), namespace)))) {
      const place = namespace === undefined ? 'the cluster' : `namespace ${namespace}`
      throw new ApiError('Forbidden', `${caller.username} may not list AgentRuns in ${place}`)
    }
    if ((by === 'label') !== (label !== undefined)) {
      throw new ApiError('BadRequest', 'query parameter label is for by=label, and required there')
    }
    const range = { since: timeIn('since', since), until: timeIn('until', until) }
    if (archive === undefined) throw new ApiError('NotFound', 'there is no database, so no ledger')
    const group = by === 'label' ? { label: label ?? '' } : by
    return archive
      .usage({ namespace, model, by: group, limit, ...range })
      .catch((cause: unknown) => {
        throw new ApiError('Unavailable', 'the ledger does not answer; try again', { cause })
      })
  }
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/usage',
      id: 'sumUsage',
      summary: 'Sums up what runs have used, by agent, namespace, model, day or label.',
      description,
      query,
      answers: { 200: { description: 'The sums.', schema: sumsSchema } },
      handle: async (request, caller) => ({ json: { items: await sums(request.query, caller) } }),
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/usage.csv',
      id: 'exportUsage',
      summary: 'The same sums as a table for spreadsheets.',
      description,
      query,
      answers: {
        200: { description: 'The sums.', contentType: csv, schema: { type: 'string' } },
      },
      handle: async (request, caller) => {
        const rows = (await sums(request.query, caller)).map((sum) => columns.map((of) => sum[of]))
        const lines = [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`)
        return { contentType: csv, text: lines.join('') }
      },
    }),
  ]
}

interface Query {
  readonly namespace?: string | undefined
  readonly by?: 'agent' | 'namespace' | 'model' | 'day' | 'label' | undefined
  readonly label?: string | undefined
  readonly model?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly limit: number
}

const csv = 'text/csv; charset=utf-8'
const columns = ['group', 'runs', 'tokens', 'dollars', 'unpricedTokens'] as const

/** Whoever creates a run chooses the name of its agent: a spreadsheet must not take it for a formula. */
function cell(value: string | number): string {
  const text = String(value)
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
