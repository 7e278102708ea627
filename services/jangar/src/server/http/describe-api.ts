import { ApiError, type ApiErrorCode, apiErrorCodes } from '../api/api-error.ts'
import { parametersOf, pathParameters } from './path-pattern.ts'
import type { Route } from './route.ts'

export interface ApiDescription {
  readonly openapi: string
  readonly info: object
  readonly [part: string]: unknown
  readonly paths: Readonly<Record<string, object>>
}

/** The description of the API in OpenAPI 3.1, from the same declarations that the server checks requests with. */
export function describeApi(routes: readonly Route[], version: string): ApiDescription {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Agents',
      version,
      summary: 'The control plane of Agents.',
      description:
        'Callers send a token that the cluster knows. Each act is done with the rights that the cluster grants to the caller.',
      contact: { name: 'The operators of this control plane' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes).map((name) => ({ name, description: tagDescription(name) })),
    paths,
    components: {
      securitySchemes: {
        caller: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of a ServiceAccount or user: `kubectl create token NAME`.',
        },
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'x-agents-session',
          description:
            'In browsers: the proof of `POST /v1/session`, with the cookie that it sets.',
        },
        pod: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token that is bound to a pod of a run and issued for this API.',
        },
      },
      responses: Object.fromEntries(
        apiErrorCodes.map((code) => [
          code,
          {
            description: errorDescriptions[code],
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Error' } },
            },
          },
        ]),
      ),
      schemas: {
        Error: {
          type: 'object',
          required: ['ok', 'code', 'error'],
          properties: {
            ok: { const: false },
            code: { type: 'string', enum: apiErrorCodes },
            error: { type: 'string', description: 'What happened, to what, and what to do.' },
            details: {
              type: 'object',
              description: 'Present if it is known when to try again, as Retry-After says it.',
              properties: { retryAfterSeconds: { type: 'integer' } },
            },
          },
        },
      },
    },
  }
}

function operation(route: Route): object {
  const { id, summary, description, query = {}, headers = {}, body, answers, access } = route
  const parameters = [
    ...parametersOf(route.path).map((name) => ({
      name,
      in: 'path',
      required: true,
      ...described(pathParameters[name as keyof typeof pathParameters]),
    })),
    ...Object.entries(query).map(([name, schema]) => ({
      name,
      in: 'query',
      ...(route.requiredQuery?.includes(name) && { required: true }),
      // `?verbose` is the same as `?verbose=true`.
      ...(schema.type === 'boolean' && { allowEmptyValue: true }),
      ...described(schema),
    })),
    ...Object.entries(headers).map(([name, { required = false, schema }]) => ({
      name,
      in: 'header',
      required,
      ...described(schema),
    })),
  ]
  return {
    operationId: id,
    tags: [tagOf(route)],
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.required ?? true,
        content: { [body.contentType]: { schema: body.schema } },
      },
    }),
    security: security[access],
    responses: { ...failures(route), ...successes(answers) },
  }
}

const security: Readonly<Record<Route['access'], readonly object[]>> = {
  public: [],
  browser: [],
  caller: [{ caller: [] }, { session: [] }],
  pod: [{ pod: [] }],
}

/** The description stands beside the schema, as OpenAPI wants it. */
function described({ description, ...schema }: { readonly description?: string }): object {
  return { ...(description !== undefined && { description }), schema }
}

function successes(answers: Route['answers']): object {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, contentType, schema }]) => [
      status,
      {
        description,
        ...(schema && { content: { [contentType ?? 'application/json']: { schema } } }),
      },
    ]),
  )
}

function failures({ access }: Route): object {
  const codes = apiErrorCodes.filter(
    (code) => access !== 'public' || (code !== 'Unauthenticated' && code !== 'Forbidden'),
  )
  return Object.fromEntries(
    codes.map((code) => [
      new ApiError(code, '').httpStatus,
      { $ref: `#/components/responses/${code}` },
    ]),
  )
}

function tagsOf(routes: readonly Route[]): readonly string[] {
  return [...new Set(routes.map(tagOf))]
}

function tagOf({ path }: Route): string {
  if (path === '/mcp') return 'tools'
  if (path.startsWith('/api/agents/control-plane/')) return 'control-plane'
  return /^\/v1\/([\w-]+)/.exec(path)?.[1] ?? 'server'
}

function tagDescription(name: string): string {
  const description = tagDescriptions[name]
  if (description === undefined) throw new Error(`describe the routes below /v1/${name}`)
  return description
}

const tagDescriptions: Readonly<Record<string, string>> = {
  server: 'The process itself.',
  doctor: 'Whether the platform works.',
  queues: 'How much work waits.',
  archive: 'Moving and saving archived runs.',
  audit: 'What callers of this API did.',
  usage: 'What runs use.',
  inbox: 'Deliveries of issue trackers.',
  runs: 'AgentRuns, ToolRuns and OrchestrationRuns.',
  session: 'Who calls, and sessions of browsers.',
  sessions: 'Sessions of other users.',
  'sign-in': 'Signing in at an OpenID provider.',
  access: 'What the caller may do.',
  tools: 'Tools for agents.',
  events: 'Changes as they happen.',
  kinds: 'The kinds of the platform.',
  objects: 'Objects of all kinds, as the API server has them.',
  signals: 'Signals that runs wait for.',
  schedules: 'Schedules of runs.',
  artifacts: 'What runs leave behind.',
  'agent-runs': 'AgentRuns, by the paths of the predecessor.',
  'orchestration-runs': 'OrchestrationRuns, by the paths of the predecessor.',
  agents: 'Agents, by the paths of the predecessor.',
  memories: 'Memories, by the paths of the predecessor.',
  'memory-queries': 'Searches in Memories, by the path of the predecessor.',
  orchestrations: 'Orchestrations, by the paths of the predecessor.',
  'control-plane': 'Objects of all kinds, by the paths of the predecessor.',
}

const errorDescriptions: Readonly<Record<ApiErrorCode, string>> = {
  BadRequest: 'The request cannot be understood.',
  Unauthenticated: 'The cluster does not know the token, or there is none.',
  Forbidden: 'The cluster does not grant this to the caller.',
  NotFound: 'The path or object does not exist.',
  MethodNotAllowed: 'The path has other methods.',
  NotAcceptable: 'The answer has none of the accepted media types.',
  Conflict: 'The object was changed or created by another request.',
  Gone: 'What the request continues is no longer kept.',
  TooLarge: 'The body is larger than the limit.',
  UnsupportedMediaType: 'The body has another media type than the route takes.',
  Invalid: 'The API server finds the object invalid.',
  TooManyRequests: 'There are too many requests. Retry-After says when to try again.',
  Internal: 'The control plane failed. Its log has details.',
  Unavailable: 'The cluster or the store does not answer. Try again.',
  Timeout: 'The cluster did not answer in time.',
}
