import type { ResourceAttributes } from '@agents/kube'
import type { MayDo } from '../../api/access/authorizer.ts'
import { pathParameters } from '../path-pattern.ts'
import { callerRoute, type Route } from '../route.ts'

const word = { type: 'string', maxLength: 253, pattern: '^([a-z0-9*]([a-z0-9.-]*[a-z0-9])?)?$' }

/** What the caller may do, so that a button can say which right is missing before it is pressed. */
export function accessRoutes({ mayDo }: { readonly mayDo: MayDo }): readonly Route[] {
  return [
    callerRoute({
      method: 'POST',
      path: '/v1/access',
      id: 'reviewAccess',
      summary: 'Which of these acts the caller may do.',
      description: 'Asks the cluster about each, as `kubectl auth can-i` does. Changes nothing.',
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 128 * 1024 },
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['acts'],
          properties: {
            acts: {
              type: 'array',
              maxItems: 100,
              items: {
                type: 'object',
                additionalProperties: false,
                required: ['verb', 'group', 'resource'],
                properties: {
                  verb: { ...word, minLength: 1 },
                  group: { ...word, description: 'Empty for the core group.' },
                  resource: { ...word, minLength: 1, description: 'The plural: `agentruns`.' },
                  subresource: word,
                  namespace: {
                    ...pathParameters.namespace,
                    description: 'If omitted, all namespaces, or a kind without namespaces.',
                  },
                  name: { ...pathParameters.name, description: 'If omitted, any name.' },
                },
              },
            },
          },
        },
      },
      answers: {
        200: {
          description: 'The answers, in the order of the acts.',
          schema: {
            type: 'object',
            required: ['acts'],
            properties: {
              acts: {
                type: 'array',
                items: {
                  type: 'object',
                  required: ['allowed'],
                  properties: {
                    allowed: { type: 'boolean' },
                    missing: {
                      type: 'string',
                      description: 'The right that is missing, in words.',
                    },
                  },
                },
              },
            },
          },
        },
      },
      handle: async ({ body }, caller) => {
        const { acts } = body as { readonly acts: readonly ResourceAttributes[] }
        const answers: boolean[] = []
        // A few at a time: one request must not take all questions that may be open.
        for (let at = 0; at < acts.length; at += atOnce) {
          const some = acts.slice(at, at + atOnce)
          answers.push(...(await Promise.all(some.map((act) => mayDo(caller, act)))))
        }
        const json = acts.map((act, at) =>
          answers[at] === true ? { allowed: true } : { allowed: false, missing: inWords(act) },
        )
        return { json: { acts: json } }
      },
    }),
  ]
}

const atOnce = 10

/** As an administrator would grant it: `create agentruns.agents.proompteng.ai in namespace red`. */
function inWords({ verb, group, resource, subresource, namespace, name }: ResourceAttributes) {
  const kind = `${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`
  return [verb, kind, ...(name === undefined ? [] : [name]), where].join(' ')
}
