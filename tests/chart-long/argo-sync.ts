import { identity, type RenderedObject } from '../../scripts/chart/compat/chart-snapshot.ts'
import { annotationsOf } from '../chart/workload.ts'

export type Kubectl = (args: readonly string[], stdin?: string) => Promise<string>

/** By it Argo CD knows what is its own. */
const tracking = 'argocd.argoproj.io/instance'
const kinds =
  'customresourcedefinitions,deployments,services,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,networkpolicies,poddisruptionbudgets'

/**
 * As Argo CD syncs with ServerSideApply and PruneLast: one wave after the other is applied, definitions first in theirs; then what carries
 * its label and is not in the commit any more is deleted, unless that says Prune=false. It does not look at helm.sh/resource-policy.
 * Resolves with the kinds of each wave.
 */
export async function argoSync(
  wanted: readonly RenderedObject[],
  kubectl: Kubectl,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const waves = Map.groupBy(wanted, waveOf)
  for (const wave of [...waves.keys()].sort((a, b) => a - b)) {
    const objects = waves.get(wave) ?? []
    const definitions = objects.filter(isDefinition)
    await apply(definitions, kubectl)
    // A wave is healthy before the next begins.
    if (definitions.length > 0) {
      await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=120s'])
    }
    await apply(
      objects.filter((object) => !isDefinition(object)),
      kubectl,
    )
  }
  await prune(wanted, kubectl)
  return new Map([...waves].map(([wave, objects]) => [wave, new Set(objects.map(kindOf))]))
}

const kindOf = ({ kind }: RenderedObject) => kind
const isDefinition = ({ kind }: RenderedObject) => kind === 'CustomResourceDefinition'
const waveOf = (object: RenderedObject) =>
  Number(annotationsOf(object)['argocd.argoproj.io/sync-wave'] ?? 0)

async function apply(objects: readonly RenderedObject[], kubectl: Kubectl): Promise<void> {
  if (objects.length === 0) return
  const tracked = objects.map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [tracking]: 'agents' } },
  }))
  const text = tracked.map((object) => JSON.stringify(object)).join('\n')
  await kubectl(['apply', '--server-side', '--force-conflicts', '--filename', '-'], text)
}

async function prune(wanted: readonly RenderedObject[], kubectl: Kubectl): Promise<void> {
  const selected = ['get', kinds, '--all-namespaces', '--selector', `${tracking}=agents`]
  const { items } = JSON.parse(await kubectl([...selected, '--output', 'json'])) as {
    items: readonly RenderedObject[]
  }
  const names = new Set(wanted.map(identity))
  const gone = items.filter((object) => {
    const options = annotationsOf(object)['argocd.argoproj.io/sync-options'] ?? ''
    return !names.has(identity(object)) && !options.split(',').includes('Prune=false')
  })
  if (gone.length === 0) return
  const text = gone.map((object) => JSON.stringify(object)).join('\n')
  await kubectl(['delete', '--filename', '-'], text)
}
