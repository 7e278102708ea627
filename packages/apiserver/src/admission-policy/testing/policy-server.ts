import { request } from 'node:https'
import type { Json } from '@agents/crd'
import { silentLogger } from '@agents/log'
import { type ApiServer, startApiServer } from '../../server.ts'

interface Answer {
  readonly code: number
  readonly warnings: readonly string[]
  readonly body: { readonly [field: string]: Json }
}

export interface PolicyServer {
  readonly server: ApiServer
  send(
    method: string,
    path: string,
    body?: unknown,
    options?: { readonly type?: string; readonly token?: string },
  ): Promise<Answer>
  /** Creates a policy for all of `resources` and a binding of the same name that denies. */
  bind(name: string, resources: Json, spec: object, binding?: object): Promise<void>
  bindMutation(name: string, resources: Json, spec: object, binding?: object): Promise<void>
  /** Deletes all policies and bindings. */
  clear(): Promise<void>
  stop(): Promise<void>
}

const group = '/apis/admissionregistration.k8s.io/v1'
export const validating = `${group}/validatingadmissionpolicies`
export const validatingBindings = `${group}/validatingadmissionpolicybindings`
export const mutating = `${group}/mutatingadmissionpolicies`
const mutatingBindings = `${group}/mutatingadmissionpolicybindings`

/** A user that may do anything in the namespace `default` and nothing elsewhere. */
export const tenantToken = 'tenant'

/** A rule for all operations on resources given as `group/plural`. */
export function rulesFor(resources: Json, operations: readonly string[] = ['*']): Json {
  const names = (Array.isArray(resources) ? resources : [resources]).map(String)
  return names.map((name) => ({
    operations: [...operations],
    apiGroups: [name.includes('.') ? name.slice(name.indexOf('.') + 1) : ''],
    apiVersions: ['*'],
    resources: [name.split('.')[0] ?? ''],
  }))
}

export async function startPolicyServer(): Promise<PolicyServer> {
  const server = await startApiServer({
    logger: silentLogger,
    staticTokens: new Map([
      [tenantToken, { name: 'tenant', groups: ['tenants', 'system:authenticated'] }],
    ]),
  })
  const send: PolicyServer['send'] = (method, path, body, options = {}) =>
    sendTo(server, method, path, body, options)
  const create = async (path: string, body: object): Promise<void> => {
    const answer = await send('POST', path, body)
    if (answer.code !== 201) throw new Error(JSON.stringify(answer.body))
  }
  const bindTo =
    (policies: string, bindings: string, ofBinding: object, operations: readonly string[]) =>
    async (name: string, resources: Json, spec: object, binding: object = {}): Promise<void> => {
      const matchConstraints = { resourceRules: rulesFor(resources, operations) }
      await create(policies, { metadata: { name }, spec: { matchConstraints, ...spec } })
      await create(bindings, {
        metadata: { name },
        spec: { policyName: name, ...ofBinding, ...binding },
      })
    }
  return {
    server,
    send,
    bind: bindTo(validating, validatingBindings, { validationActions: ['Deny'] }, ['*']),
    bindMutation: bindTo(mutating, mutatingBindings, {}, ['CREATE', 'UPDATE']),
    clear: async () => {
      for (const path of [validating, validatingBindings, mutating, mutatingBindings]) {
        await send('DELETE', path)
      }
    },
    stop: () => server.stop(),
  }
}

function sendTo(
  server: ApiServer,
  method: string,
  path: string,
  body: unknown,
  { type = 'application/json', token = server.adminToken }: { type?: string; token?: string },
): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === '' ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
    }
    const sent = request(
      server.url + path,
      { method, ca: server.caCertificate, headers },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('end', () => {
          const { warning = '' } = response.headers
          resolve({
            code: response.statusCode ?? 0,
            warnings: [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
              ([, one = '']) => one,
            ),
            body: JSON.parse(Buffer.concat(pieces).toString() || '{}'),
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}
