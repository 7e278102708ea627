import {
  type CustomResourceDefinition,
  CustomResourceDefinitionKind,
  isForbidden,
  isNotFound,
  type KubeClient,
  sameJson,
} from '@agents/kube'
import type { Finding } from '../cluster-checks/finding.ts'
import { lostParts, lostStoredVersions } from '../definitions/lost-parts.ts'

interface DefinitionCheckOptions {
  readonly client: Pick<KubeClient, 'get'>
  /** The definitions of this build. */
  readonly expected: readonly CustomResourceDefinition[]
  readonly signal: AbortSignal
}

const advice = [
  'Run kubectl apply --server-side --force-conflicts -f charts/agents/crds, or set crds.upgradeJob.enabled to true in the chart',
]

/**
 * Checks that the cluster serves all kinds of this build: installed, established, in its versions and with all its
 * fields.
 */
export async function checkDefinitions({
  client,
  expected,
  signal,
}: DefinitionCheckOptions): Promise<Finding> {
  const about = 'crds'
  if (expected.length === 0) {
    return { about, verdict: 'bad', says: 'no definitions to check: this build contains none' }
  }
  const call = { signal, timeoutMs: 5_000 }
  const results = await Promise.all(
    expected.map(async (ours) => {
      const { name } = ours.metadata
      try {
        return compare(ours, await client.get(CustomResourceDefinitionKind, { name }, call))
      } catch (error) {
        if (isNotFound(error)) return `${name} is not installed`
        if (isForbidden(error)) return `${name} cannot be read: permission denied`
        throw error
      }
    }),
  )
  const problems = results.filter((result) => result !== 'same' && result !== 'different')
  if (problems.length > 0) return { about, verdict: 'bad', says: summary(problems), advice }
  // They differ after a rollback: definitions are never downgraded.
  const others = results.filter((result) => result === 'different').length
  const note =
    others > 0 ? `; ${others} with other definitions that contain all required fields` : ''
  return {
    about,
    verdict: 'good',
    says: `all ${expected.length} kinds are served in the versions of this build${note}`,
  }
}

/** The problem that makes the installed definition unusable for this build, else `same` or `different`. */
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
    return `${name} is ${theirs.spec.scope}, but must be ${ours.spec.scope}`
  }
  const [statusless] = versionsWithStatus(ours).difference(versionsWithStatus(theirs))
  if (statusless !== undefined) return `${name} has no status subresource in ${statusless}`
  const foreign = lostStoredVersions(theirs, ours)
  if (foreign.length > 0) {
    return `${name} may have objects stored as ${foreign.join(', ')}, which this build does not support`
  }
  const [first, ...others] = lostParts(ours, theirs)
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return `${name} is older than this build (it lacks ${first}${more})`
  }
  return sameJson(ours.spec.versions, theirs.spec.versions) ? 'same' : 'different'
}

/** Without the status subresource, the API server rejects status updates of controllers. */
function versionsWithStatus({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  const versions = spec.versions as readonly { name: string; subresources?: { status?: object } }[]
  return new Set(versions.flatMap((one) => (one.subresources?.status ? [one.name] : [])))
}

function summary(problems: readonly string[]): string {
  const [first = '', ...others] = problems
  return others.length > 0 ? `${first}; ${others.length} more have problems` : first
}
