import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toolPath } from '@agents/chart-tools'
import type { KubeObject } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const root = join(import.meta.dirname, '../../..')
const overlay = 'argocd/applications/agents'

let server: EmbeddedServer
let rendered: string
let objects: Workload[]

beforeAll(async () => {
  const starting = startEmbeddedServer()
  rendered = await build('1.36', '4')
  objects = parseAllDocuments(rendered).map((document) => document.toJS())
  server = await starting
})

afterAll(() => server?.stop())

const clusterWide = [
  ...['CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding'],
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
]

describe('the GitOps overlay', () => {
  test('pins the current version of the chart', async () => {
    const read = async (path: string) => parse(await readFile(join(root, path), 'utf8'))
    const { helmCharts } = await read(`${overlay}/kustomization.yaml`)
    const { version } = await read('charts/agents/Chart.yaml')
    expect(helmCharts).toEqual([expect.objectContaining({ name: 'agents', version })])
  })

  test.each([
    { kubectl: '1.36', helm: '3' },
    // An older kustomize, which does not support Helm 4.
    { kubectl: '1.32', helm: '3' },
  ] as const)(
    'renders the same with Helm $helm and the kustomize of kubectl $kubectl',
    async ({ kubectl, helm }) => {
      expect(parsed(await build(kubectl, helm))).toEqual(parsed(rendered))
    },
  )

  test('has no hook and no pod of helm test', () => {
    const hooks = objects.filter(({ metadata }) =>
      Object.keys(metadata.annotations ?? {}).some((key) => key.includes('hook')),
    )
    expect(hooks).toEqual([])
    expect(objects.filter(({ kind }) => kind === 'Pod' || kind === 'Job')).toEqual([])
  })

  test('sets the namespace of every namespaced object', () => {
    for (const { kind, metadata } of objects) {
      const expected = clusterWide.includes(kind) ? undefined : 'agents'
      expect({ kind, ...metadata }.namespace, `${kind} ${metadata.name}`).toBe(expected)
    }
  })

  test('keeps CRDs from being pruned, whatever is reverted', () => {
    const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition')
    expect(definitions).toHaveLength(25)
    for (const { metadata } of definitions) {
      expect(metadata.annotations).toMatchObject({
        'helm.sh/resource-policy': 'keep',
        'argocd.argoproj.io/sync-options': expect.stringContaining('Prune=false'),
      })
    }
  })

  test('lets the control plane migrate, and the controllers never', () => {
    expect(variable('agents', 'JANGAR_MIGRATIONS')).toEqual(['auto'])
    expect(variable('agents-controllers', 'JANGAR_MIGRATIONS')).toEqual(['skip'])
  })

  test('runs images by digest only', () => {
    const images = objects.flatMap(({ spec }) => spec?.template?.spec?.containers ?? [])
    expect(images.length).toBeGreaterThan(1)
    for (const { image } of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  test('is accepted as Argo CD applies it, and applying it again changes nothing', async () => {
    const { kubeconfigPath: kubeconfig } = server
    const kubectl = (args: readonly string[], stdin = '') =>
      runTool(['kubectl', '1.36'], args, { kubeconfig, stdin })
    const isDefinition = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition'
    const text = (some: readonly KubeObject[]) => some.map((one) => JSON.stringify(one)).join('\n')
    await kubectl(['create', 'namespace', 'agents'])
    const apply = ['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f', '-']
    const definitions = await kubectl(apply, text(objects.filter(isDefinition)))
    expect(definitions).toMatchObject({ code: 0, stderr: '' })
    const rest = text(objects.filter((object) => !isDefinition(object)))
    expect(await kubectl(apply, rest)).toMatchObject({ code: 0, stderr: '' })
    const versions = async () =>
      (await kubectl(['get', 'deploy,svc,role,agents-all', '-A', '-o', versionColumns])).stdout
    const before = await versions()
    expect(await kubectl(apply, rest)).toMatchObject({ code: 0, stderr: '' })
    expect(await versions()).toBe(before)
  })
})

describe('a copy of the overlay', () => {
  let copy: string

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'agents-overlay-'))
    await cp(join(root, 'charts'), join(copy, 'charts'), { recursive: true })
    await cp(join(root, overlay), join(copy, overlay), { recursive: true })
  })

  afterAll(() => rm(copy, { recursive: true, force: true }))

  const edit = async (file: string, change: (content: Record<string, unknown>) => unknown) => {
    const path = join(copy, overlay, file)
    const content = parse(await readFile(path, 'utf8'))
    await writeFile(path, stringify(change(content)))
  }

  test('restarts pods with the digests of checksums.yaml, and names generated ConfigMaps by content', async () => {
    const digest = 'd'.repeat(64)
    const secret = { 'agents-github-token-env': digest }
    await edit('checksums.yaml', () => ({ rolloutChecksums: { values: { secret } } }))
    await edit('values.yaml', (values) => ({ ...values, envFromConfigMapRefs: ['agents-flags'] }))
    await edit('kustomization.yaml', (kustomization) => ({
      ...kustomization,
      configMapGenerator: [{ name: 'agents-flags', literals: ['FLAG=1'] }],
    }))
    const built = parseAllDocuments(await build('1.36', '4', copy)).map(
      (document): Workload => document.toJS(),
    )
    const deployment = built.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'agents',
    )
    expect(deployment?.spec?.template?.metadata?.annotations).toMatchObject({
      'checksum/secret-agents-github-token-env': digest,
    })
    const flags = built.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('agents-flags-'),
    )
    expect(flags).toBeDefined()
    expect(deployment?.spec?.template?.spec.containers[0]?.envFrom).toContainEqual({
      configMapRef: { name: flags?.metadata.name },
    })
  })
})

test('the ApplicationSet generates the same Application as the manifest', async () => {
  const application = parse(await readFile(join(root, overlay, 'application.yaml'), 'utf8'))
  const file = join(root, 'argocd/applicationsets/product.yaml')
  const { spec } = parse(await readFile(file, 'utf8'))
  const [{ list }] = spec.generators
  const [element] = list.elements
  const fill = (text: string) => text.replaceAll(/\{\{ \.(\w+) \}\}/g, (_, name) => element[name])
  const generated = JSON.parse(fill(JSON.stringify(spec.template)))
  const patch = parse(spec.templatePatch.replaceAll(/^.*\{\{-.*$/gm, ''))
  Object.assign(generated.spec.syncPolicy, patch.spec.syncPolicy)
  expect(generated.spec).toEqual(application.spec)
  expect(generated.metadata.name).toBe(application.metadata.name)
})

const versionColumns = 'custom-columns=K:.kind,N:.metadata.name,V:.metadata.resourceVersion'

async function build(
  kubectl: '1.36' | '1.32',
  helm: '3' | '4',
  folder: string = root,
): Promise<string> {
  const args = ['kustomize', '--enable-helm', '--helm-command', await toolPath('helm', helm)]
  const result = await runTool(['kubectl', kubectl], [...args, overlay], { cwd: folder })
  expect(result).toMatchObject({ code: 0 })
  return result.stdout
}

/**
 * Normalises the namespace that an older kustomize sets on admission policies, which it does not know; the API server
 * and Argo CD drop it.
 */
function parsed(text: string): unknown[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .sort((a, b) => key(a).localeCompare(key(b)))
    .map(({ metadata: { namespace, ...metadata }, ...rest }: KubeObject) => ({
      ...rest,
      metadata: clusterWide.includes(rest.kind) ? metadata : { ...metadata, namespace },
    }))
}

function key({ kind, metadata }: KubeObject) {
  return `${kind}/${metadata.name}`
}

type Workload = KubeObject & {
  spec?: {
    template?: {
      metadata?: { annotations?: Record<string, string> }
      spec: {
        containers: {
          image: string
          env?: { name: string; value?: string }[]
          envFrom?: unknown[]
        }[]
      }
    }
  }
}

function variable(deployment: string, name: string): (string | undefined)[] {
  const found = objects.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === deployment,
  )
  const [container] = found?.spec?.template?.spec.containers ?? []
  return (container?.env ?? []).filter((one) => one.name === name).map(({ value }) => value)
}
