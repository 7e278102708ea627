import { ForgeError, type ForgeProblem } from '../forge-error.ts'
import { type ForgeAccess, ForgeHttp } from '../http/forge-http.ts'
import { Fields, garbled, listOf } from '../reading/fields.ts'
import { changedFilter, closedStates, type LinearQuery, openFilter } from './linear-filter.ts'

export interface LinearIssue {
  /** Such as `ENG-12`. */
  readonly identifier: string
  /** Those that it had in other teams. */
  readonly previousIdentifiers: readonly string[]
  readonly team: string
  readonly project: string | undefined
  readonly title: string
  readonly body: string
  readonly labels: readonly string[]
  readonly url: string
  readonly state: 'open' | 'closed'
  /** It is in the archive or in the trash. */
  readonly isArchived: boolean
  readonly updatedAt: string
}

interface LinearList {
  readonly issues: readonly LinearIssue[]
  /** There are more. */
  readonly isPart: boolean
}

/** Linear, by its GraphQL API. All methods throw ForgeErrors. */
interface LinearTracker {
  /** The open ones, by the time of their creation: changes meanwhile do not move them to another page. */
  openIssues(query: LinearQuery, signal: AbortSignal): Promise<LinearList>
  /** All that were changed at or after this time, also closed and archived ones and those of other teams. */
  changedIssues(since: Date, signal: AbortSignal): Promise<LinearList>
}

export const linearApi = 'https://api.linear.app'

/** Queries cost the items that they could return: more of either would use up the hourly limit of a key. */
const pageSize = 50
const mostPages = 20

/** Only fields that are read are requested: each one costs. */
const issuesDocument = `query issues($after: String, $filter: IssueFilter, $first: Int, $includeArchived: Boolean, $orderBy: PaginationOrderBy) {
  issues(after: $after, filter: $filter, first: $first, includeArchived: $includeArchived, orderBy: $orderBy) {
    nodes {
      identifier
      previousIdentifiers
      title
      description
      url
      updatedAt
      archivedAt
      trashed
      team { key }
      project { name }
      state { type }
      labels(first: 50) { nodes { name } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`

interface LinearAccess extends ForgeAccess {
  /** Time limit of a list, with all of its pages. If omitted, a minute. */
  readonly listTimeoutMs?: number | undefined
}

const usualListMs = 60_000

/** The token is a key of a user or an app's; the base URL has no path. */
export function linearTracker(access: LinearAccess): LinearTracker {
  const { token, listTimeoutMs = usualListMs } = access
  const http = new ForgeHttp(access, {
    accept: 'application/json',
    authorization: token.startsWith('lin_api_') ? token : `Bearer ${token}`,
  })
  const list = async (chosen: Chosen, signal: AbortSignal): Promise<LinearList> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)])
    try {
      return await pages(http, chosen, limit)
    } catch (error) {
      signal.throwIfAborted()
      throw limit.aborted ? tooLong(listTimeoutMs) : error
    }
  }
  return {
    openIssues: (query, signal) => {
      const filter = openFilter(query)
      return list({ filter, orderBy: 'createdAt', includeArchived: false }, signal)
    },
    changedIssues: (since, signal) => {
      const filter = changedFilter(since)
      return list({ filter, orderBy: 'updatedAt', includeArchived: true }, signal)
    },
  }
}

function tooLong(ms: number): ForgeError {
  return new ForgeError('unreachable', `the list takes longer than ${ms / 1000} s`)
}

interface Chosen {
  readonly filter: object
  readonly orderBy: string
  readonly includeArchived: boolean
}

async function pages(http: ForgeHttp, chosen: Chosen, signal: AbortSignal): Promise<LinearList> {
  const issues: LinearIssue[] = []
  let after: string | undefined
  let total = 0
  for (let page = 0; page < mostPages; page++) {
    const variables = { ...chosen, first: pageSize, ...(after !== undefined && { after }) }
    const query = { query: issuesDocument, variables }
    const request = { method: 'POST', path: '/graphql', body: query, isRead: true, signal } as const
    const { body, size } = await http.page(request, total)
    total = size
    const connection = dataOf(new Fields(body)).object('issues')
    const nodes = connection.list('nodes')
    if (nodes.length > pageSize) throw garbled('nodes')
    issues.push(...listOf(nodes, readIssue))
    const info = connection.object('pageInfo')
    if (!info.flag('hasNextPage')) return { issues, isPart: false }
    after = info.text('endCursor')
  }
  return { issues, isPart: true }
}

/** Some refusals have the status 200. What they say is not shown. */
function dataOf(answer: Fields): Fields {
  const [first] = answer.list('errors')
  if (first === undefined) return answer.object('data')
  const code = new Fields(first).objectIfAny('extensions')?.textOrEmpty('code') ?? ''
  const known = Object.hasOwn(problems, code) ? problems[code] : undefined
  const { problem, why } = known ?? { problem: 'invalid', why: 'no reason is known' }
  throw new ForgeError(problem, `the API refused the query: ${why}`, {
    status: 200,
    ...(problem === 'rate-limited' && { retryAfterMs: 60_000 }),
  })
}

const problems: Readonly<Record<string, { problem: ForgeProblem; why: string }>> = {
  AUTHENTICATION_ERROR: { problem: 'unauthorized', why: 'the key is invalid or has expired' },
  FORBIDDEN: { problem: 'forbidden', why: 'the key lacks a permission' },
  RATELIMITED: { problem: 'rate-limited', why: 'too many requests' },
}

const identifier = /^[A-Za-z0-9]{1,20}-\d{1,9}$/

/** An issue is rarely moved to another team. */
const mostFormer = 10

function readIssue(fields: Fields): LinearIssue {
  const own = fields.text('identifier')
  if (!identifier.test(own)) throw garbled('identifier')
  return {
    identifier: own,
    previousIdentifiers: fields
      .list('previousIdentifiers')
      .filter((one) => typeof one === 'string')
      .filter((one) => identifier.test(one))
      .slice(-mostFormer),
    team: fields.object('team').text('key'),
    project: fields.objectIfAny('project')?.text('name'),
    title: fields.text('title'),
    body: fields.textOrEmpty('description'),
    labels: listOf(fields.object('labels').list('nodes'), (label) => label.text('name')),
    url: fields.webUrl('url'),
    state: closedStates.includes(fields.object('state').text('type')) ? 'closed' : 'open',
    isArchived: fields.textOrEmpty('archivedAt') !== '' || fields.flag('trashed'),
    updatedAt: fields.text('updatedAt'),
  }
}
