import type { Json } from '@agents/crd'
import { expect } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Answer, Fields, SendOptions } from './client.ts'
import type { Suite } from './suite.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
export const validatingPath = `${group}/validatingadmissionpolicies`
export const validatingBindingPath = `${group}/validatingadmissionpolicybindings`
export const mutatingPath = `${group}/mutatingadmissionpolicies`
export const mutatingBindingPath = `${group}/mutatingadmissionpolicybindings`

/** The parts of a policy besides the objects that it applies to. */
interface PolicyParts {
  readonly spec: Fields
  /** Resource rule; if omitted, ConfigMaps and any operation. */
  readonly rule?: Fields
  /** Further match constraints. */
  readonly match?: Fields
  readonly binding?: Fields
}

export interface Policies {
  /** Creates a policy and a binding with the same name. It applies to objects with the label `policy: NAME`. */
  validating(name: string, parts: PolicyParts): Promise<void>
  mutating(name: string, parts: PolicyParts): Promise<void>
  /** Resolves when all policies created so far are active: the real server learns of them through watches. */
  active(kind: 'validating' | 'mutating'): Promise<void>
  /** A ConfigMap that the policy applies to. */
  map(policy: string, rest?: Fields, metadata?: Fields): Fields
  create(policy: string, rest?: Fields, query?: string, options?: SendOptions): Promise<Answer>
  readonly maps: string
}

export function policiesOf({ client, namespace }: Suite): Policies {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const here = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
  const post = async (path: string, body: Fields): Promise<void> => {
    const answer = await client.send('POST', path, body)
    expect(answer.code, answer.text).toBe(201)
  }
  const map: Policies['map'] = (policy, rest = {}, metadata = {}) => ({
    metadata: { name: `of-${policy}`, labels: { policy }, ...metadata },
    ...rest,
  })
  const add =
    (policies: string, bindings: string, operations: Json, ofBinding: Fields) =>
    async (name: string, { spec, rule, match, binding }: PolicyParts): Promise<void> => {
      await post(policies, {
        metadata: { name },
        spec: {
          matchConstraints: {
            namespaceSelector: here,
            objectSelector: { matchLabels: { policy: name } },
            resourceRules: [
              {
                ...{ operations, apiGroups: [''], apiVersions: ['v1'] },
                resources: ['configmaps'],
                ...rule,
              },
            ],
            ...match,
          },
          ...spec,
        },
      })
      await post(bindings, {
        metadata: { name },
        spec: { policyName: name, ...ofBinding, ...binding },
      })
    }
  const validating = add(validatingPath, validatingBindingPath, ['*'], {
    validationActions: ['Deny'],
  })
  const mutating = add(mutatingPath, mutatingBindingPath, ['CREATE', 'UPDATE'], {})
  const create: Policies['create'] = (policy, rest, query = '?dryRun=All', options = {}) =>
    client.send('POST', `${maps}${query}`, map(policy, rest), options)
  let markers = 0
  return {
    validating,
    mutating,
    maps,
    map,
    create,
    // Watches are ordered: once the last policy and binding are active, all earlier ones are.
    active: async (kind) => {
      const name = `${namespace}-marker-${kind}-${++markers}`
      if (kind === 'validating') {
        await validating(name, { spec: { validations: [{ expression: 'false' }] } })
        await until(async () => (await create(name)).code === 422)
      } else {
        const expression = '[JSONPatch{op: "add", path: "/data", value: {"marked": "yes"}}]'
        const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression } }]
        await mutating(name, { spec: { mutations, reinvocationPolicy: 'Never' } })
        await until(async () => (await create(name)).text.includes('marked'))
      }
    },
  }
}

export function validations(expression: string, rest: Fields = {}): Fields {
  return {
    validations: [{ expression, ...rest }],
  }
}
