import {
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isForbidden,
  isNotFound,
  type KubeClient,
  sameJson,
} from '@agents/kube'
import { lostParts, lostStoredVersions } from '../definitions/lost-parts.ts'
import type { Finding } from './finding.ts'

interface Looked {
  readonly client: Pick<KubeClient, 'get'>
  /** As this build has them. */
  readonly expected: readonly CustomResourceDefinition[]
  readonly signal: AbortSignal
}

const advice = [
  'kubectl apply --server-side --force-conflicts -f charts/agents/crds, or crds.upgradeJob.enabled=true of the chart',
]

/** Whether the cluster serves the kinds of this build: each there, established, in its versions, with all its fields. */
export async function checkDefinitions({ client, expected, signal }: Looked): Promise<Finding> {
  const about = 'crds'
  if (expected.length === 0) {
    return { about, verdict: 'bad', says: 'this build has no definitions to compare with' }
  }
  const call = { signal, timeoutMs: 5_000 }
  const results = await Promise.all(
    expected.map(async (ours) => {
      const { name } = ours.metadata
      try {
        return compare(ours, await client.get(CustomResourceDefinitionKind, { name }, call))
      } catch (error) {
        if (isNotFound(error)) return `${name} is not installed`
        if (isForbidden(error)) return `${name} may not be looked at`
        throw error
      }
    }),
  )
  const problems = results.filter((result) => result !== 'same' && result !== 'different')
  if (problems.length > 0) return { about, verdict: 'bad', says: summary(problems), advice }
  // After a rollback they do: definitions never go back.
  const others = results.filter((result) => result === 'different').length
  const note = others > 0 ? `; ${others} of them differ from it and lack no field` : ''
  return {
    about,
    verdict: 'good',
    says: `all ${expected.length} kinds are served as this build needs them${note}`,
  }
}

/** What keeps this build from working with theirs; else how theirs is. */
function compare(ours: CustomResourceDefinition, theirs: CustomResourceDefinition): string {
  const { name } = ours.metadata
  for (const type of ['NamesAccepted', 'Established']) {
    const condition = theirs.status?.conditions?.find((one) => one.type === type)
    if (condition?.status !== 'True') {
      const why = condition?.message ? `: ${condition.message}` : ''
      return `${name} is not ${type === 'Established' ? 'established' : 'served under its names'}${why}`
    }
  }
  const served = new Set(theirs.spec.versions.flatMap((one) => (one.served ? [one.name] : [])))
  const missing = ours.spec.versions.filter((one) => one.served && !served.has(one.name))
  if (missing.length > 0) {
    return `${name} is not served as ${missing.map((version) => version.name).join(', ')}`
  }
  if (theirs.spec.scope !== ours.spec.scope) {
    return `${name} is ${theirs.spec.scope} and has to be ${ours.spec.scope}`
  }
  const [statusless] = versionsWithStatus(ours).difference(versionsWithStatus(theirs))
  if (statusless !== undefined) return `${name} has no status of its own in ${statusless}`
  const foreign = lostStoredVersions(theirs, ours)
  if (foreign.length > 0) {
    return `${name} may have objects stored as ${foreign.join(', ')}, which this build does not know`
  }
  const [first, ...others] = lostParts(ours, theirs)
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return `${name} is older than this build (it lacks ${first}${more})`
  }
  return sameJson(ours.spec.versions, theirs.spec.versions) ? 'same' : 'different'
}

/** Without that subresource the API server takes no status, and controllers tell nothing. */
function versionsWithStatus({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  const versions = spec.versions as readonly { name: string; subresources?: { status?: object } }[]
  return new Set(versions.flatMap((one) => (one.subresources?.status ? [one.name] : [])))
}

function summary(problems: readonly string[]): string {
  const [first = '', ...others] = problems
  return others.length > 0 ? `${first}, and ${others.length} others are not right either` : first
}
