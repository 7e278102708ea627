import { group } from '@agents/jangar-api'
import type { MayDo } from '../../api/access/authorizer.ts'
import type { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Audit } from '../../audit/open-audit.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'
import type { JsonSchema } from '../schema.ts'

interface AuditPorts {
  readonly audit: Audit | undefined
  readonly mayDo: MayDo
}

/** The right to read the log, in the whole cluster. There are no objects of this name. */
const right = {
  ...{ verb: 'list', group: group.agents, version: 'v1alpha1', resource: 'auditevents' },
} as const

const text = { type: 'string' } as const
const entrySchema: JsonSchema = {
  type: 'object',
  required: ['seq', 'at', 'actor', 'action', 'outcome', 'code', 'request', 'hash'],
  properties: {
    seq: { type: 'integer', description: 'The number of the entry, from 1 and without gaps.' },
    at: { type: 'string', format: 'date-time' },
    actor: { ...text, description: 'The caller. Empty if the cluster did not know the token.' },
    action: { ...text, description: 'The operation of this API.' },
    namespace: { type: ['string', 'null'] },
    name: { type: ['string', 'null'] },
    outcome: { ...text, enum: ['allowed', 'denied', 'failed'] },
    code: { type: 'integer', description: 'The status of the answer.' },
    request: { ...text, description: 'The `x-request-id` of the answer.' },
    hash: { ...text, description: 'Over this entry and the hash of the one before.' },
  },
}
const pageSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', items: entrySchema },
    next: { type: 'integer', description: 'The `before` of the next page, if there is one.' },
  },
}
const verdictSchema: JsonSchema = {
  type: 'object',
  required: ['ok', 'entries', 'head'],
  properties: {
    ok: { type: 'boolean' },
    entries: { type: 'integer', description: 'How many entries fit together, from the first.' },
    head: {
      type: 'object',
      description: 'The last of them. Kept elsewhere, it is an anchor.',
      required: ['seq', 'hash'],
      properties: { seq: { type: 'integer' }, hash: text },
    },
    entry: { type: 'integer', description: 'The first entry that is wrong.' },
    problem: text,
  },
}

export function auditRoutes({ audit, mayDo }: AuditPorts): readonly Route[] {
  let isVerifying = false
  const open = async (caller: Caller): Promise<Audit> => {
    if (!(await mayDo(caller, right))) {
      const what = `list ${right.resource}.${right.group} in the cluster`
      throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
    }
    if (audit === undefined) throw new ApiError('NotFound', 'there is no database, so no audit')
    return audit
  }
  return [
    callerRoute({
      method: 'GET',
      path: '/v1/audit',
      id: 'listAudit',
      summary: 'Lists what callers of this API did, newest first.',
      description: 'Needs the right to list `auditevents.agents.proompteng.ai` in the cluster.',
      query: {
        namespace: pathParameters.namespace,
        actor: {
          type: 'string',
          maxLength: 400,
          pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$',
          description: 'The caller.',
        },
        action: { type: 'string', pattern: '^[A-Za-z]{1,60}$', description: 'The operation.' },
        outcome: {
          ...{ type: 'string', enum: ['allowed', 'denied', 'failed'] as const },
          description: 'How it ended.',
        },
        limit: {
          ...{ type: 'integer', minimum: 1, maximum: 1000, default: 100 },
          description: 'Entries per page.',
        },
        before: { type: 'integer', minimum: 1, description: 'The `next` of the page before.' },
      },
      answers: { 200: { description: 'A page of entries.', schema: pageSchema } },
      handle: async ({ query }, caller) => {
        const items = await (await open(caller)).list(query)
        const last = items.at(-1)
        const hasMore = last !== undefined && items.length === query.limit && last.seq > 1
        return { json: { items, ...(hasMore && { next: last.seq }) } }
      },
    }),
    callerRoute({
      method: 'GET',
      path: '/v1/audit/verify',
      id: 'verifyAudit',
      summary: 'Says whether the audit is whole, or which entry was changed, removed or moved.',
      description: 'Reads every entry. Needs the same right as the list.',
      query: {
        anchor: {
          type: 'string',
          pattern: '^[1-9][0-9]{0,14}:[0-9a-f]{64}$',
          description:
            'The `seq:hash` of the head of an earlier answer, which must still be there.',
        },
      },
      answers: { 200: { description: 'The verdict.', schema: verdictSchema } },
      handle: async ({ query: { anchor } }, caller) => {
        const opened = await open(caller)
        if (isVerifying) {
          const wait = { retryAfterMs: 5_000 }
          throw new ApiError('TooManyRequests', 'the audit is being verified; try again', wait)
        }
        isVerifying = true
        try {
          const [seq, hash = ''] = anchor?.split(':') ?? []
          const kept = seq === undefined ? undefined : { seq: Number(seq), hash }
          return { json: await opened.verify(kept) }
        } finally {
          isVerifying = false
        }
      },
    }),
  ]
}
