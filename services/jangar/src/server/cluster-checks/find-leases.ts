import {
  DeploymentKind,
  isForbidden,
  type KubeObject,
  LeaseKind,
  type ObjectKey,
} from '@agents/kube'
import { defaultLeaseName } from '../../config/leader-election.ts'
import type { Examined } from './examined.ts'

export interface FoundLeases {
  /** Where the Leases of controllers should be. */
  readonly keys: readonly ObjectKey[]
  /** What is not allowed, so that there may be others. */
  readonly hidden: readonly string[]
  /** Whether there are controllers without leader election. */
  readonly hasUnelected: boolean
}

/** Both may run controllers. Other Deployments with these labels do not have the settings. */
const labelSelector = 'app.kubernetes.io/component in (control-plane,controllers)'

/**
 * The Leases that the Deployments of a chart name in their settings, and those with the default name, in the cluster
 * or, where that is forbidden, in the namespace.
 */
export async function findLeases(examined: Examined): Promise<FoundLeases> {
  const { client, namespace, signal } = examined
  const hidden: string[] = []
  const find = async (what: string, list: (scope: object) => Promise<readonly KubeObject[]>) => {
    try {
      return await list({})
    } catch (error) {
      if (!isForbidden(error)) throw error
      hidden.push(`list ${what}`)
    }
    return await list({ namespace }).catch((error: unknown) => {
      if (!isForbidden(error)) throw error
      return []
    })
  }
  const [deployments, leases] = await Promise.all([
    find('Deployments', async (scope) => {
      return (await client.list(DeploymentKind, { ...scope, labelSelector, signal })).items
    }),
    find('Leases', async (scope) => {
      const fieldSelector = `metadata.name=${defaultLeaseName}`
      return (await client.list(LeaseKind, { ...scope, fieldSelector, signal })).items
    }),
  ])
  const named = deployments.map(electionOf).filter((each) => each !== undefined)
  const keys = [
    ...named.filter((each) => each !== 'off'),
    ...leases.map(({ metadata }) => metadata),
  ].map(({ name, namespace: place = '' }) => ({ name, namespace: place }))
  return {
    keys: [...new Map(keys.map((key) => [`${key.namespace}/${key.name}`, key])).values()],
    hidden,
    hasUnelected: named.includes('off'),
  }
}

interface PodTemplate {
  readonly template?: {
    readonly spec?: { readonly containers?: readonly { readonly env?: readonly Variable[] }[] }
  }
}

interface Variable {
  readonly name: string
  readonly value?: string
}

/** Undefined for a Deployment of something else. */
function electionOf({ metadata, spec }: KubeObject & { spec?: unknown }) {
  const { template } = (spec ?? {}) as PodTemplate
  const variables = (template?.spec?.containers ?? []).flatMap(({ env = [] }) => env)
  const settingOf = (setting: string): string | undefined =>
    variables.findLast(({ name }) => name === `JANGAR_LEADER_ELECTION_${setting}`)?.value
  const name = settingOf('LEASE_NAME')
  if (name === undefined) return undefined
  if (/^(0|false|no?|off)$/i.test(settingOf('ENABLED') ?? '')) return 'off'
  return { name, namespace: settingOf('LEASE_NAMESPACE') ?? metadata.namespace }
}
