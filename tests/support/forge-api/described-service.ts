import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv } from 'ajv'
import type { Description, Operation } from './github-description.ts'

export interface DescribedService {
  readonly url: string
  /** Operations that were requested, in order. */
  readonly operations: string[]
  /** What the description does not allow. Empty if all requests were right. */
  readonly violations: string[]
  /** Answers the next request for an operation with this instead of the example of the description. */
  answer(operation: string, status: number, body: unknown): void
  close(): void
}

/** Checks every request against the description of a service and answers with the example that it gives. */
export async function startDescribedService(
  description: Description,
  headers: Readonly<Record<string, string>>,
): Promise<DescribedService> {
  const operations: string[] = []
  const violations: string[] = []
  const answers = new Map<string, { status: number; body: unknown }[]>()
  const checked = checker(description)
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://stub')
    const text = await textOf(request)
    const found = operationAt(description, request.method ?? '', url.pathname)
    if (found === undefined) {
      violations.push(`${request.method} ${url.pathname} is not described`)
      response.writeHead(404).end('{}')
      return
    }
    const { operation } = found
    operations.push(operation.operationId)
    violations.push(...checked(operation, url.searchParams, text).map(named(operation)))
    violations.push(...headerProblems(request, headers).map(named(operation)))
    const chosen = answers.get(operation.operationId)?.shift() ?? example(description, operation)
    const body = chosen.body === undefined ? '' : JSON.stringify(chosen.body)
    response.writeHead(chosen.status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    violations,
    answer: (operation, status, body) => {
      answers.set(operation, [...(answers.get(operation) ?? []), { status, body }])
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function named({ operationId }: Operation) {
  return (problem: string): string => `${operationId}: ${problem}`
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function headerProblems(
  { headers }: IncomingMessage,
  wanted: Readonly<Record<string, string>>,
): string[] {
  const wrong = Object.entries(wanted).filter(([name, value]) => headers[name] !== value)
  return [
    ...(headers['user-agent'] ? [] : ['no user agent']),
    ...(headers.authorization?.startsWith('Bearer ') ? [] : ['no token']),
    ...wrong.map(([name, value]) => `${name} is not ${value}`),
  ]
}

function operationAt(
  { paths }: Description,
  method: string,
  pathname: string,
): { readonly operation: Operation } | undefined {
  const segments = pathname.split('/')
  const matching = Object.entries(paths).filter(([path]) => {
    const parts = path.split('/')
    const fits = (part: string, at: number) => part.startsWith('{') || part === segments[at]
    return parts.length === segments.length && parts.every(fits)
  })
  // Of several, the one with the most literal segments.
  const [best] = matching.toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
  const operation = best?.[1][method.toLowerCase()]
  return operation && { operation }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: object
}

function checker(description: Description) {
  const options = { strict: false, allErrors: true, validateFormats: false }
  // A query has texts only.
  const ajvOf = { query: new Ajv({ ...options, coerceTypes: true }), body: new Ajv(options) }
  for (const ajv of Object.values(ajvOf)) ajv.addSchema(description, 'described')
  const compiled = (schema: object, where: keyof typeof ajvOf) =>
    ajvOf[where].compile(absolute(schema) as object)
  return ({ parameters = [], requestBody }: Operation, query: URLSearchParams, text: string) => {
    const problems: string[] = []
    const known = parameters.map((one) => resolved(description, one) as Parameter)
    for (const name of new Set(query.keys())) {
      const parameter = known.find((one) => one.in === 'query' && one.name === name)
      if (parameter === undefined) {
        problems.push(`unknown parameter ${name}`)
        continue
      }
      const validate = compiled(
        { type: 'object', properties: { value: parameter.schema } },
        'query',
      )
      for (const value of query.getAll(name)) {
        if (!validate({ value })) problems.push(`${name}: ${words(validate.errors)}`)
      }
    }
    if (requestBody === undefined) return text === '' ? problems : [...problems, 'a body']
    const { content } = resolved(description, requestBody) as {
      content: Record<string, { schema: object }>
    }
    const schema = content['application/json']?.schema
    if (text === '' || schema === undefined) return problems
    const body = JSON.parse(text) as object
    const validate = compiled(schema, 'body')
    if (!validate(body)) problems.push(words(validate.errors))
    const allowed = (resolved(description, schema) as { properties?: object }).properties ?? body
    const extra = Object.keys(body).filter((name) => !Object.hasOwn(allowed, name))
    return [...problems, ...extra.map((name) => `unknown field ${name}`)]
  }
}

function words(errors: unknown): string {
  return JSON.stringify(errors)
}

/** References of the document, as references from another one. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name === '$ref' && typeof member === 'string'
        ? [name, `described${member}`]
        : [name, absolute(member)],
    ),
  )
}

function resolved(description: Description, value: unknown): unknown {
  const ref = (value as { readonly $ref?: string }).$ref
  if (ref === undefined) return value
  let found: unknown = description
  for (const part of ref.replace(/^#\//, '').split('/')) {
    found = (found as Record<string, unknown>)[part]
  }
  return resolved(description, found)
}

function example(description: Description, { responses }: Operation) {
  const [status = '200', response] =
    Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const { content } = resolved(description, response) as {
    content?: Record<string, { examples?: Record<string, unknown> }>
  }
  const [first] = Object.values(content?.['application/json']?.examples ?? {})
  return { status: Number(status), body: first && exampleValue(description, first) }
}

/** Some examples refer to an example in their value. */
function exampleValue(description: Description, of: unknown): unknown {
  const { value } = resolved(description, of) as { readonly value: unknown }
  const isReference = typeof value === 'object' && value !== null && '$ref' in value
  return isReference ? exampleValue(description, value) : value
}
