import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  at,
  identity,
  listAt,
  type RenderedObject,
  readManifest,
} from '../../scripts/chart/compat/chart-snapshot.ts'
import { chart, find, render, valuesFile } from '../chart/render.ts'
import { containersOf } from '../chart/workload.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../testbed/embedded-server.ts'
import { runTool } from '../tools/run-tool.ts'

const digest = (letter: string) => `sha256:${letter.repeat(64)}`
const base = valuesFile('ci/controllers-values.yaml')
const added = 'workspaces.workspaces.proompteng.ai'

let server: EmbeddedServer

beforeAll(async () => {
  server = await startEmbeddedServer()
  await kubectl(['create', 'namespace', 'agents'])
})

afterAll(() => server.stop())

async function kubectl(args: readonly string[], stdin = ''): Promise<string> {
  const result = await runTool(['kubectl', '1.36'], args, {
    kubeconfig: server.kubeconfigPath,
    stdin,
  })
  expect([result.code, result.stderr]).toEqual([0, ''])
  return result.stdout
}

/** What a commit asks for: the chart's objects and its definitions. */
async function commit(values: unknown): Promise<readonly RenderedObject[]> {
  const { objects, errors } = await render(values, { args: ['--include-crds'] })
  expect(errors).toBe('')
  return objects
}

/**
 * As Argo CD syncs with ServerSideApply and PruneLast: everything is applied, then what the commit no longer has is deleted, unless it says
 * Prune=false. It does not look at helm.sh/resource-policy.
 */
async function sync(
  wanted: readonly RenderedObject[],
  live: readonly RenderedObject[],
): Promise<void> {
  const text = (objects: readonly RenderedObject[]) =>
    objects.map((object) => JSON.stringify(object)).join('\n')
  const isDefinition = ({ kind }: RenderedObject) => kind === 'CustomResourceDefinition'
  const apply = ['apply', '--server-side', '--force-conflicts', '--filename', '-']
  await kubectl(apply, text(wanted.filter(isDefinition)))
  await kubectl(apply, text(wanted.filter((object) => !isDefinition(object))))
  const names = new Set(wanted.map(identity))
  const gone = live
    .filter((object) => !names.has(identity(object)))
    .filter(({ metadata }) => {
      const options = metadata.annotations?.['argocd.argoproj.io/sync-options'] ?? ''
      return !options.split(',').includes('Prune=false')
    })
  if (gone.length > 0) await kubectl(['delete', '--filename', '-'], text(gone))
}

async function seen(): Promise<unknown> {
  const kinds =
    'deployments,services,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets,clusterroles'
  const { items } = JSON.parse(
    await kubectl(['get', kinds, '--namespace', 'agents', '--output', 'json']),
  )
  return (items as readonly RenderedObject[])
    .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] === 'agents')
    .map((object) => ({
      name: identity(object),
      selector: at(object, 'spec', 'selector'),
      rules: object.rules,
      containers: containersOf(object),
    }))
}

test('a reverted commit leaves what was before, and every custom resource', async () => {
  const older = (await commit(base)).filter(({ metadata }) => metadata.name !== added)
  await sync(older, [])
  const before = await seen()

  const newer = await commit({
    ...base,
    image: { digest: digest('b') },
    networkPolicy: { enabled: true },
    podDisruptionBudget: { enabled: true },
    rolloutChecksums: { enabled: true, secrets: ['jangar-db-app'] },
    rbac: { aggregateClusterRoles: { enabled: true } },
  })
  await sync(newer, older)
  expect(JSON.stringify(await seen())).toContain(digest('b'))
  await kubectl([
    'create',
    '--namespace',
    'agents',
    '--filename',
    `${chart}/examples/workspace-sample.yaml`,
  ])

  await sync(older, newer)
  expect(await seen()).toEqual(before)
  const left = JSON.parse(
    await kubectl(['get', added, '--namespace', 'agents', '--output', 'json']),
  )
  expect(listAt(left, 'items')).toHaveLength(1)
})

test('what protects definitions is what Argo CD looks at', async () => {
  const objects = await commit(base)
  const definition = find(objects, 'CustomResourceDefinition', added)
  const [unprotected] = readManifest(JSON.stringify(definition).replace('Prune=false,', ''))
  expect(unprotected?.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' })
  const others = objects.filter(({ metadata }) => metadata.name !== added)
  await sync(objects, [])
  await sync(others, [...others, ...(unprotected ? [unprotected] : [])])
  expect(await kubectl(['get', 'crd', '--output', 'name'])).not.toContain(added)
})
