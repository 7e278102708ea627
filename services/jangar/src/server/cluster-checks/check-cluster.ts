import { customResourceDefinition, type Json } from '@agents/crd'
import {
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isForbidden,
  isNotFound,
  NamespaceKind,
  type ResourceAttributes,
  sameJson,
} from '@agents/kube'
import { platformKinds } from '../definitions/platform-kinds.ts'
import type { Examined } from './examined.ts'
import type { Finding } from './finding.ts'

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
