import { ApiError, apiErrorCodes } from '../api/api-error.ts'
import { parametersOf, pathParameters } from './path-pattern.ts'
import type { Route } from './route.ts'

/** The description of the API in OpenAPI 3.1, from the same declarations that the server checks requests with. */
export function describeApi(routes: readonly Route[], version: string): object {
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
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(routes).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        caller: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of a ServiceAccount or user: `kubectl create token NAME`.',
        },
        pod: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token that is bound to a pod of a run and issued for this API.',
        },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['ok', 'code', 'error'],
          properties: {
            ok: { const: false },
            code: { type: 'string', enum: apiErrorCodes },
            error: { type: 'string', description: 'What happened, to what, and what to do.' },
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
    ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', ...described(schema) })),
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
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.required ?? true,
        content: { [body.contentType]: { schema: body.schema } },
      },
    }),
    security: access === 'public' ? [] : [{ [access]: [] }],
    responses: { ...successes(answers), ...failures(route) },
  }
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
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  return Object.fromEntries(
    codes.map((code) => [new ApiError(code, '').httpStatus, { description: code, content }]),
  )
}

function tagsOf(routes: readonly Route[]): readonly string[] {
  return [...new Set(routes.map(tagOf))]
}

function tagOf({ path }: Route): string {
  return /^\/v1\/([\w-]+)/.exec(path)?.[1] ?? 'server'
}
