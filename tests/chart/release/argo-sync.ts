import { identity, type RenderedObject } from '@agents/chart-tools'
import { annotationsOf } from '../../support/chart/workload.ts'

type Kubectl = (args: readonly string[], stdin?: string) => Promise<string>

/** The label by which Argo CD tracks its objects. */
const tracking = 'argocd.argoproj.io/instance'
const kinds =
  'customresourcedefinitions,deployments,services,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,networkpolicies,poddisruptionbudgets'

/**
 * Syncs like Argo CD with ServerSideApply and PruneLast: applies the waves in order, definitions first within a wave;
 * then deletes labelled objects that are no longer in the commit, unless they have Prune=false. It ignores
 * helm.sh/resource-policy. Resolves with the kinds of each wave.
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
    // A wave must be healthy before the next one starts.
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

function kindOf({ kind }: RenderedObject) {
  return kind
}

function isDefinition({ kind }: RenderedObject) {
  return kind === 'CustomResourceDefinition'
}

function waveOf(object: RenderedObject) {
  return Number(annotationsOf(object)['argocd.argoproj.io/sync-wave'] ?? 0)
}

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
