import { randomBytes } from 'node:crypto'
import type { AnyKind } from '@agents/crd'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds as agentsKinds } from '@agents/jangar-api'
import { type Connection, createKubeClient, type KubeClient, KubeError } from '@agents/kube'
import type { Authority } from '../../support/testbed/authority.ts'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'

/** The response of the API server. */
interface Answer {
  readonly code: number
  readonly message: string
  readonly object: Readonly<Record<string, unknown>>
}

export interface Tenants {
  readonly admin: KubeClient
  /** A user with these permissions in the namespace, or in the cluster if the namespace is omitted. */
  user(name: string, ...grants: readonly Grant[]): Promise<Tenant>
  /** A connection with the permissions that the user has been given. */
  client(name: string): KubeClient
  connection(name: string): Connection
  namespace(): Promise<string>
  stop(): Promise<void>
}

interface Grant {
  readonly namespace?: string
  readonly rules: readonly Rule[]
}

export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

interface Tenant {
  readonly name: string
  create(object: AnyObject): Promise<Answer>
  patch(object: AnyObject, patch: object, subresource?: string): Promise<Answer>
  /** Server-side apply. */
  apply(object: AnyObject): Promise<Answer>
  get(object: AnyObject): Promise<Answer>
}

export interface AnyObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string } & object
  readonly spec?: object
}

/** The member is in the group reviewers. */
const userNames = [
  'developer',
  'attacker',
  'member',
  'permitted',
  'trusted',
  'editor',
  'writer',
  'source-author',
  'source-author-that-creates',
  'source-operator',
] as const

const platformKinds: readonly AnyKind[] = [...agentsKinds, ...mirrorKinds]

/** An API server that enforces RBAC, with the platform's kinds and users who start without any permission. */
export async function startTenants(authority: Authority): Promise<Tenants> {
  const tokens = new Map(userNames.map((user) => [user as string, randomBytes(16).toString('hex')]))
  const known = [...tokens].map(([user, token]) => ({
    ...{ user, token },
    ...(user === 'member' && { groups: ['reviewers'] }),
  }))
  const server =
    authority === 'real'
      ? await startRealCluster({ fsync: false, tokens: known })
      : await startEmbeddedServer({ tokens: known })
  const clients: KubeClient[] = []
  const connect = (token: string): KubeClient => {
    const client = createKubeClient(connectionTo(server.url, server.caPem, token))
    clients.push(client)
    return client
  }
  const tokenOf = (name: string): string => {
    const token = tokens.get(name)
    if (token === undefined) throw new Error(`there is no user ${name}`)
    return token
  }
  const admin = connect(server.adminToken)
  await installKinds(admin, platformKinds)
  let count = 0
  return {
    admin,
    namespace: async () => {
      count += 1
      const name = `team-${count}`
      await createNamespace(admin, name)
      return name
    },
    client: (name) => connect(tokenOf(name)),
    connection: (name) => connectionTo(server.url, server.caPem, tokenOf(name)),
    user: async (name, ...grants) => {
      const client = connect(tokenOf(name))
      for (const grant of grants) {
        await giveRights(admin, name, grant)
        await until(() => hasRight(client, grant), `${name} does not get their rights`)
      }
      return tenant(name, client)
    },
    stop: async () => {
      for (const client of clients) client.close()
      await server.stop()
    },
  }
}

let grantCount = 0

async function giveRights(admin: KubeClient, user: string, { namespace, rules }: Grant) {
  grantCount += 1
  const name = `${user}-${grantCount}`
  const kind = namespace === undefined ? 'ClusterRole' : 'Role'
  const base = `/apis/rbac.authorization.k8s.io/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}`
  const send = (path: string, body: object) =>
    admin.request({ method: 'POST', path: `${base}/${path}`, body })
  await send(`${kind.toLowerCase()}s`, { metadata: { name }, rules })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }]
  await send(`${kind.toLowerCase()}bindings`, { metadata: { name }, roleRef, subjects })
}

/** The real API server learns of new rights with a delay. */
async function hasRight(client: KubeClient, { namespace, rules }: Grant): Promise<boolean> {
  const [rule] = rules
  const [resource = '', subresource] = rule?.resources[0]?.split('/') ?? []
  if (rule === undefined) return true
  const { bytes } = await client.request({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    accept: 'application/json',
    body: {
      spec: {
        resourceAttributes: {
          namespace,
          group: rule.apiGroups[0],
          resource,
          subresource,
          name: rule.resourceNames?.[0],
          verb: rule.verbs[0],
        },
      },
    },
  })
  return (JSON.parse(bytes.toString('utf8')) as { status: { allowed: boolean } }).status.allowed
}

function tenant(name: string, client: KubeClient): Tenant {
  return {
    name,
    create: (object) => ask(client, 'POST', pathOf(object), object),
    get: (object) => ask(client, 'GET', `${pathOf(object)}/${object.metadata.name}`),
    patch: (object, patch, subresource) => {
      const below = subresource === undefined ? '' : `/${subresource}`
      return ask(client, 'PATCH', `${pathOf(object)}/${object.metadata.name}${below}`, patch)
    },
    apply: (object) => {
      const path = `${pathOf(object)}/${object.metadata.name}?fieldManager=${name}`
      return ask(client, 'PATCH', path, object, 'application/apply-patch+yaml')
    },
  }
}

async function ask(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
): Promise<Answer> {
  try {
    const { code, bytes } = await client.request({
      ...{ method, path, contentType, accept: 'application/json' },
      ...(body !== undefined && { body }),
    })
    return { code, message: '', object: JSON.parse(bytes.toString('utf8')) }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return { code: error.code, message: error.message, object: {} }
  }
}

function pathOf({ apiVersion, kind, metadata }: AnyObject): string {
  const plural = platformKinds.find((each) => each.kind === kind)?.plural
  if (plural === undefined) throw new Error(`${kind} is not a kind of the platform`)
  const place = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`
  return `/apis/${apiVersion}/${place}${plural}`
}

/** Whether the API server serves MutatingAdmissionPolicies. */
export async function servesMutation(admin: KubeClient): Promise<boolean> {
  const served = await admin.discovery.resources()
  return served.some(
    ({ resource, version }) => resource === 'mutatingadmissionpolicies' && version === 'v1',
  )
}

/** Installs objects of admissionregistration.k8s.io. */
export async function installPolicies(
  admin: KubeClient,
  objects: readonly { readonly kind: string }[],
): Promise<void> {
  const plurals: Readonly<Record<string, string>> = {
    ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
    ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
    MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
    MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
  }
  for (const object of objects) {
    const path = `/apis/admissionregistration.k8s.io/v1/${plurals[object.kind]}`
    await admin.request({ method: 'POST', path, body: object })
  }
}

/** Waits until the attempt is refused: admission policies take effect a moment after their creation. */
export async function untilRefused(attempt: () => Promise<Answer>): Promise<void> {
  await until(async () => (await attempt()).code === 403)
}
