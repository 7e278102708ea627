import { customResourceDefinition, type Json } from '@agents/crd'
import {
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isForbidden,
  isNotFound,
  type KubeClient,
  type Lease,
  LeaseKind,
  NamespaceKind,
  type ResourceAttributes,
  sameJson,
} from '@agents/kube'
import { platformKinds } from '../definitions/platform-kinds.ts'
import type { Finding } from './finding.ts'

export interface Examined {
  readonly client: KubeClient
  readonly namespace: string
  readonly now: () => Date
  readonly signal: AbortSignal
  /** Whether the cluster is the platform of this machine, and that process answers. */
  readonly platformPid: number | undefined
}

export async function checkDefinitions({ client, signal }: Examined): Promise<Finding> {
  const about = 'kinds'
  let found: CustomResourceDefinition[]
  try {
    found = (await client.list(CustomResourceDefinitionKind, { signal })).items
  } catch (error) {
    if (!isForbidden(error)) throw error
    return {
      about,
      verdict: 'doubtful',
      says: 'not checked: you are not allowed to list CustomResourceDefinitions',
    }
  }
  const byName = new Map(found.map((each) => [each.metadata.name, each]))
  const missing: string[] = []
  const different: string[] = []
  for (const kind of platformKinds) {
    const ours = customResourceDefinition(kind)
    const theirs = byName.get(ours.metadata.name)
    if (theirs === undefined) missing.push(kind.kind)
    else if (!sameSchema(ours, theirs)) different.push(kind.kind)
  }
  const advice = [
    'kubectl apply --server-side --force-conflicts --field-manager=agents-crds -f charts/agents/crds',
  ]
  if (missing.length > 0) {
    return { about, verdict: 'bad', says: `not installed: ${missing.join(', ')}`, advice }
  }
  if (different.length > 0) {
    return {
      about,
      verdict: 'doubtful',
      says: `installed in another version than that of this program: ${different.join(', ')}`,
      advice,
    }
  }
  return {
    about,
    verdict: 'good',
    says: `all ${platformKinds.length} are installed in the version of this program`,
  }
}

function sameSchema(ours: object, theirs: object): boolean {
  const [left, right] = [ours, theirs].map((definition) => {
    const { spec } = definition as { spec: { versions: { name: string; schema?: Json }[] } }
    return spec.versions[0]?.schema ?? null
  })
  return sameJson(left ?? null, right ?? null)
}

const leaseName = 'agents-controller-leader'

export async function checkControllers({
  client,
  namespace,
  now,
  signal,
  platformPid,
}: Examined): Promise<Finding> {
  const about = 'controllers'
  if (platformPid !== undefined) {
    return { about, verdict: 'good', says: `running in process ${platformPid}` }
  }
  const advice = [
    'On this machine: agentctl up. On a cluster: check the pods of the chart’s controllers Deployment.',
  ]
  const lease = await findLease(client, namespace, signal)
  if (lease === undefined) {
    return {
      about,
      verdict: 'bad',
      says: `the Lease ${leaseName} does not exist: no controller has ever run here`,
      advice,
    }
  }
  const { holderIdentity, renewTime, leaseDurationSeconds = 15 } = lease.spec ?? {}
  const silentMs =
    renewTime === undefined ? Number.POSITIVE_INFINITY : now().getTime() - Date.parse(renewTime)
  const place = `${lease.metadata.namespace}/${leaseName}`
  if (!holderIdentity || silentMs > leaseDurationSeconds * 1000) {
    const since = renewTime === undefined ? '' : ` since ${renewTime}`
    return {
      about,
      verdict: 'bad',
      says: `the Lease ${place} has not been renewed${since}: no controller is running`,
      advice,
    }
  }
  return {
    about,
    verdict: 'good',
    says: `${holderIdentity} is running (Lease ${lease.metadata.namespace}/${leaseName})`,
  }
}

async function findLease(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  try {
    const { items } = await client.list(LeaseKind, {
      fieldSelector: `metadata.name=${leaseName}`,
      signal,
    })
    return items.toSorted((a, b) =>
      (b.spec?.renewTime ?? '').localeCompare(a.spec?.renewTime ?? ''),
    )[0]
  } catch (error) {
    if (!isForbidden(error)) throw error
  }
  try {
    return await client.get(LeaseKind, { namespace, name: leaseName }, { signal })
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}

export async function checkNamespace({ client, namespace, signal }: Examined): Promise<Finding> {
  const about = 'namespace'
  try {
    await client.get(NamespaceKind, { name: namespace }, { signal })
    return { about, verdict: 'good', says: `${namespace} exists` }
  } catch (error) {
    if (isForbidden(error)) {
      return {
        about,
        verdict: 'doubtful',
        says: `not checked: you are not allowed to get namespace ${namespace}`,
      }
    }
    if (!isNotFound(error)) throw error
    const advice = [`kubectl create namespace ${namespace}, or name another with -n`]
    return { about, verdict: 'bad', says: `namespace ${namespace} does not exist`, advice }
  }
}

const group = 'agents.proompteng.ai'

const needed: readonly Omit<ResourceAttributes, 'namespace'>[] = [
  ...['get', 'list', 'watch', 'create', 'patch'].map((verb) => ({
    verb,
    group,
    resource: 'agentruns',
  })),
  { verb: 'list', group, resource: 'agents' },
  { verb: 'list', group: '', resource: 'pods' },
  { verb: 'get', group: '', resource: 'pods', subresource: 'log' },
  { verb: 'list', group: '', resource: 'events' },
]

export async function checkPermissions({
  client,
  namespace,
  signal,
}: Pick<Examined, 'client' | 'namespace' | 'signal'>): Promise<Finding> {
  const about = 'permissions'
  const answers = await Promise.all(
    needed.map((attributes) =>
      client.reviewOwnAccess({ resourceAttributes: { ...attributes, namespace } }, { signal }),
    ),
  )
  const denied = needed
    .filter((_, index) => answers[index]?.allowed !== true)
    .map(
      ({ verb, resource, subresource }) =>
        `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`,
    )
  if (denied.length === 0) {
    return { about, verdict: 'good', says: `you may create and follow runs in ${namespace}` }
  }
  return {
    about,
    verdict: 'bad',
    says: `in ${namespace} you are not allowed to ${denied.join(', ')}`,
    advice: ['Ask an administrator for a Role with these verbs.'],
  }
}
