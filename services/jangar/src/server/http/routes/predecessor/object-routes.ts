import { agent, memory, orchestration } from '@agents/jangar-api'
import { formatApiVersion, type KubeObject, kindRef } from '@agents/kube'
import { fullNameOf } from '../../../definitions/platform-kinds.ts'
import { pathParameters } from '../../path-pattern.ts'
import { callerRoute, type Route } from '../../route.ts'
import { objectSchema } from '../object-schemas.ts'
import type { CallOperation } from './operations.ts'
import { okSchema } from './run-record.ts'

const json = { form: 'json', contentType: 'application/json', maxBytes: 1024 * 1024 } as const
const namespace = pathParameters.namespace

/** Agents, Memories and Orchestrations, by the paths of the predecessor. */
export function predecessorObjectRoutes(call: CallOperation): readonly Route[] {
  return [agent, memory, orchestration].flatMap((declared) => {
    const kind = kindRef<KubeObject>(declared)
    const { kind: word, plural } = kind
    const one = word.toLowerCase()
    const operand = fullNameOf(kind)
    const answers = {
      200: { description: `The ${word}.`, schema: okSchema({ [one]: objectSchema }) },
    }
    return [
      callerRoute({
        method: 'POST',
        path: `/v1/${plural}`,
        id: `apply${word}`,
        summary: `Creates or changes the ${word} of a name.`,
        description:
          'As `PUT /v1/objects/…`: server-side apply with the field manager `agents-api`. The same request again changes nothing.',
        body: {
          ...json,
          schema: {
            ...{ type: 'object', additionalProperties: false },
            required: ['name', 'namespace', 'spec'],
            properties: {
              name: pathParameters.name,
              namespace,
              spec: { type: 'object', description: `The spec of the ${word}.` },
            },
          },
        },
        answers,
        handle: async ({ body, signal }, caller) => {
          const { name, namespace: place, spec } = body as NamedSpec
          const object = appliedObject(kind, name, spec)
          const path = { kind: operand, namespace: place, name }
          const request = { operation: 'applyObject', path, body: object }
          const { json: applied } = await call(caller, request, signal)
          return { json: { ok: true, [one]: applied } }
        },
      }),
      callerRoute({
        method: 'GET',
        path: `/v1/${plural}/{name}`,
        id: `get${word}`,
        summary: `Gets the ${word} of a name.`,
        description:
          'Asks the API server with the token of the caller. The object names Secrets, and never has their content.',
        query: { namespace },
        requiredQuery: ['namespace'],
        answers,
        handle: async ({ path: { name }, query, signal }, caller) => {
          const path = { kind: operand, namespace: query.namespace, name }
          const { json: found } = await call(caller, { operation: 'getObject', path }, signal)
          return { json: { ok: true, [one]: found } }
        },
      }),
    ]
  })
}

interface NamedSpec {
  readonly name: string
  readonly namespace: string
  readonly spec: object
}

export function appliedObject(
  kind: Parameters<typeof formatApiVersion>[0] & { readonly kind: string },
  name: string,
  spec: object,
): object {
  return { apiVersion: formatApiVersion(kind), kind: kind.kind, metadata: { name }, spec }
}
