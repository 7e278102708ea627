import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyKind } from '@agents/crd'
import { startGitTarget } from '@agents/gittarget'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { controllersConfig, startControllers } from '@agents/jangar'
import { kinds as agentsKinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient, KubeError } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { parseAllDocuments } from 'yaml'
import { chart, render } from '../../../support/chart/render.ts'
import { startEmbeddedServer } from '../../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../../support/testbed/real-cluster.ts'
import { connectionTo, createNamespace, installKinds } from '../../../support/testbed/server.ts'

export const allKinds: readonly AnyKind[] = [...agentsKinds, ...mirrorKinds]
export const team = 'team'
export const others = ['other', 'kube-system'] as const

export const rights = {
  create: ['create'],
  'update, patch': ['update', 'patch'],
  'get, list, watch': ['get', 'list', 'watch'],
  delete: ['delete', 'deletecollection'],
} as const
export type Right = keyof typeof rights

/** A value in every Secret, so that it is recognised wherever it appears. */
export const marker = 'marker-value-of-a-stolen-secret'

interface Answer {
  readonly code: number
  readonly text: string
}

export interface MatrixEnvironment {
  readonly admin: KubeClient
  /** A user with exactly this permission on this kind in the namespace `team`. */
  tenant(kind: AnyKind, right: Right): KubeClient
  stop(): Promise<void>
}

/**
 * An API server with the kinds and the chart's policies, controllers with all permissions, and one user for each
 * permission.
 */
export async function startEnvironment(authority: 'embedded' | 'real'): Promise<MatrixEnvironment> {
  const users = allKinds.flatMap((kind) =>
    (Object.keys(rights) as Right[]).map((right) => ({ kind, right, user: userOf(kind, right) })),
  )
  const tokens = users.map(({ user }) => ({ user, token: randomBytes(16).toString('hex') }))
  const server =
    authority === 'real'
      ? await startRealCluster({ fsync: false, tokens })
      : await startEmbeddedServer({ tokens })
  const clients: KubeClient[] = []
  const connect = (token: string): KubeClient => {
    const connection = { ...connectionTo(server.url, server.caPem, token), namespace: team }
    const client = createKubeClient(connection)
    clients.push(client)
    return client
  }
  const admin = connect(server.adminToken)
  await installKinds(admin, allKinds)
  for (const name of [team, 'other']) await createNamespace(admin, name)
  await installPolicies(admin)
  for (const { kind, right, user } of users) await giveRight(admin, kind, right, user)
  await createHonest(admin)
  const log = silentLogger
  const stateDir = await mkdtemp(join(tmpdir(), 'agents-matrix-'))
  const mirror = await startGitTarget({ client: admin, log, stateDir, allowFile: false })
  const controllers = startControllers({
    client: admin,
    config: controllersConfig({
      JANGAR_AGENT_RUNNER_IMAGE: 'local',
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: team,
      JANGAR_AGENTS_CONTROLLER_CONCURRENCY_NAMESPACE: '1000',
      JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '1000',
      JANGAR_AGENTS_CONTROLLER_CONCURRENCY_CLUSTER: '1000',
      JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'agents-runner',
      JANGAR_AGENTS_CONTROLLER_PLATFORM_SERVICE_ACCOUNTS: 'agents-controllers',
    }),
    log,
  })
  await Promise.all([controllers.ready, mirror.ready])
  return {
    admin,
    tenant: (kind, right) =>
      connect(tokens.find(({ user }) => user === userOf(kind, right))?.token ?? ''),
    stop: async () => {
      await controllers.stop()
      await mirror.stop()
      for (const client of clients) client.close()
      await server.stop()
      await rm(stateDir, { recursive: true, force: true })
    },
  }
}

function userOf(kind: AnyKind, right: Right): string {
  return `${kind.plural}-${rights[right][0]}`
}

async function installPolicies(admin: KubeClient): Promise<void> {
  const { objects, errors } = await render({})
  if (objects.length === 0) throw new Error(errors)
  for (const { object } of objects.map((one) => ({ object: one as unknown as Manifest }))) {
    const plural = policyPlurals[object.kind]
    if (plural === undefined) continue
    const path = `/apis/${object.apiVersion}/${plural}`
    const { code, text } = await ask(admin, 'POST', path, object)
    // Mutating policies are not served by every version.
    if (code >= 400 && code !== 404) throw new Error(text)
  }
  // Policies take effect a moment after they were created.
  await new Promise((resolve) => setTimeout(resolve, 3000))
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

const policyPlurals: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'mutatingadmissionpolicybindings',
}

async function giveRight(admin: KubeClient, kind: AnyKind, right: Right, user: string) {
  const isNamespaced = kind.scope === 'Namespaced'
  const prefix = isNamespaced ? '' : 'Cluster'
  const where = isNamespaced ? `namespaces/${team}/` : ''
  const base = `/apis/rbac.authorization.k8s.io/v1/${where}${prefix.toLowerCase()}`
  const rules = [{ apiGroups: [kind.group], resources: [kind.plural], verbs: rights[right] }]
  await must(admin, `${base}roles`, { metadata: { name: user }, rules })
  const apiGroup = 'rbac.authorization.k8s.io'
  await must(admin, `${base}rolebindings`, {
    metadata: { name: user },
    roleRef: { apiGroup, kind: `${prefix}Role`, name: user },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  })
}

/** Creates the objects that tenants could reach, and one honest object of each kind, as an administrator. */
async function createHonest(admin: KubeClient): Promise<void> {
  for (const name of ['agents-controllers', 'agents-runner', 'deployer']) {
    await must(admin, `/api/v1/namespaces/${team}/serviceaccounts`, { metadata: { name } })
  }
  const stringData = { token: marker, password: marker, username: 'somebody' }
  for (const [namespace, name] of [
    [team, 'stolen'],
    [team, 'victims'],
    ['other', 'stolen'],
  ]) {
    await must(admin, `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, stringData })
  }
  await must(admin, `/api/v1/namespaces/${team}/secrets`, {
    metadata: {
      name: 'controllers-token',
      annotations: { 'kubernetes.io/service-account.name': 'agents-controllers' },
    },
    type: 'kubernetes.io/service-account-token',
  })
  const shell = { binary: '/bin/sh', argsTemplate: ['-c', 'exit 0'] }
  await must(admin, collection('agentproviders'), {
    ...ours('AgentProvider', 'shell'),
    spec: shell,
  })
  const agent = { providerRef: { name: 'shell' } }
  await must(admin, collection('agents'), { ...ours('Agent', 'shell'), spec: agent })
  for (const kind of allKinds) {
    for (const name of ['honest', 'doomed']) {
      await must(admin, pathOf(kind, team), await exampleOf(kind, name))
    }
  }
}

function collection(plural: string): string {
  return `/apis/agents.proompteng.ai/v1alpha1/namespaces/${team}/${plural}`
}

function ours(kind: string, name: string) {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind,
    metadata: { name },
  }
}

export function pathOf({ group, version, plural, scope }: AnyKind, namespace: string): string {
  const place = scope === 'Namespaced' ? `namespaces/${namespace}/` : ''
  return `/apis/${group}/${version}/${place}${plural}`
}

interface Example {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

const digest = 'a'.repeat(64)

/** Specs of kinds without an example: the platform creates their objects, or they refer to one of those. */
const specs: Readonly<Record<string, Example['spec']>> = {
  ApprovalRequest: {
    subject: { kind: 'AgentRun', name: 'sample', uid: 'a' },
    policyRef: { name: 'sample' },
    digest,
    summary: 'Greet the reader',
  },
  ApprovalDecision: {
    requestRef: { name: 'sample' },
    digest,
    decision: 'Approve',
    approver: { username: 'release-manager' },
  },
}

/** The example of the kind that ships with the chart, under this name. */
export async function exampleOf({ kind, apiVersion }: AnyKind, name: string): Promise<Example> {
  const spec = specs[kind]
  if (spec !== undefined) return { apiVersion, kind, metadata: { name }, spec }
  const folder = join(chart, 'examples')
  for (const file of (await readdir(folder)).toSorted()) {
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
      const object = document.toJS() as Example | null
      if (object?.kind === kind) return { ...object, metadata: { name } }
    }
  }
  throw new Error(`there is no example of ${kind}`)
}

export async function ask(
  client: KubeClient,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  try {
    const { code, bytes } = await client.request({
      ...{ method, path, contentType, accept: 'application/json' },
      ...(body !== undefined && { body }),
    })
    return { code, text: bytes.toString('utf8') }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return { code: error.code, text: error.message }
  }
}

export async function must(client: KubeClient, path: string, body: object): Promise<void> {
  const { code, text } = await ask(client, 'POST', path, body)
  if (code >= 300) throw new Error(`POST ${path}: ${text}`)
}
