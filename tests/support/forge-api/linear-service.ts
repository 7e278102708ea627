import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { documentProblems, readDocument, type Selection } from './linear-document.ts'

/** An issue as the stub has it; fields are those of Linear. */
export interface StubIssue {
  readonly identifier: string
  readonly previousIdentifiers: readonly string[]
  readonly title: string
  readonly description: string | null
  readonly url: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly archivedAt: string | null
  readonly trashed: boolean | null
  readonly team: { readonly key: string }
  readonly project: { readonly name: string } | null
  readonly state: { readonly type: string }
  readonly labels: { readonly nodes: readonly { readonly name: string }[] }
}

interface Variables {
  readonly after?: string
  readonly first: number
  readonly filter?: Filter
  readonly includeArchived?: boolean
  readonly orderBy: 'createdAt' | 'updatedAt'
}

interface Filter {
  readonly [field: string]: unknown
}

export interface LinearService {
  readonly url: string
  readonly issues: StubIssue[]
  /** What was sent, without the document. */
  readonly requests: { readonly variables: Variables; readonly headers: IncomingHttpHeaders }[]
  /** What Linear would not have understood. */
  readonly violations: string[]
  /** Answers the next request with this. */
  answer(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void
  close(): void
}

/** Answers queries for issues as Linear does, as far as its SDK describes it. */
export async function startLinearService(key: string): Promise<LinearService> {
  const issues: StubIssue[] = []
  const requests: LinearService['requests'] = []
  const violations: string[] = []
  const answers: { status: number; body: unknown; headers: Readonly<Record<string, string>> }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString()) as {
      query: string
      variables: Variables
    }
    requests.push({ variables, headers: request.headers })
    violations.push(...documentProblems(query))
    if (request.method !== 'POST' || request.url !== '/graphql') violations.push('another path')
    const chosen = answers.shift()
    if (chosen !== undefined) {
      response.writeHead(chosen.status, chosen.headers).end(JSON.stringify(chosen.body))
      return
    }
    if (request.headers.authorization !== key) {
      const errors = [{ message: 'x', extensions: { code: 'AUTHENTICATION_ERROR' } }]
      response.writeHead(401).end(JSON.stringify({ errors }))
      return
    }
    const [root] = readDocument(query).root
    const data = { issues: selected(page(issues, variables, violations), root?.fields ?? []) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...{ issues, requests, violations },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (status, body, headers = {}) => void answers.push({ status, body, headers }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function page(all: readonly StubIssue[], variables: Variables, violations: string[]) {
  const { after, first, filter = {}, includeArchived = false, orderBy } = variables
  const matching = all
    .filter((one) => includeArchived || one.archivedAt === null)
    .filter((one) => matches(one, filter, violations))
    .toSorted((a, b) => (a[orderBy] < b[orderBy] ? 1 : -1))
  const from = after === undefined ? 0 : matching.findIndex((one) => one.identifier === after) + 1
  const nodes = matching.slice(from, from + first)
  const hasNextPage = from + first < matching.length
  return { nodes, pageInfo: { hasNextPage, endCursor: nodes.at(-1)?.identifier ?? null } }
}

/** The filters and comparators that are used, as Linear documents them. */
function matches(value: unknown, filter: Filter, violations: string[]): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    const found = (value as Readonly<Record<string, unknown>> | null)?.[name]
    const text = String(value)
    switch (name) {
      case 'and':
        return (wanted as readonly Filter[]).every((one) => matches(value, one, violations))
      case 'some':
        return (value as StubIssue['labels']).nodes.some((one) =>
          matches(one, wanted as Filter, violations),
        )
      case 'nin':
        return !(wanted as readonly string[]).includes(text)
      case 'eqIgnoreCase':
        return text.toLowerCase() === String(wanted).toLowerCase()
      case 'gte':
        return text >= String(wanted)
      default:
        if (found === undefined && value !== null) violations.push(`the filter ${name}`)
        return found !== undefined && found !== null && matches(found, wanted as Filter, violations)
    }
  })
}

function selected(value: unknown, fields: readonly Selection[]): unknown {
  if (Array.isArray(value)) return value.map((one) => selected(one, fields))
  if (typeof value !== 'object' || value === null) return value
  const members = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    fields.map(({ name, fields: of }) => [name, of ? selected(members[name], of) : members[name]]),
  )
}
