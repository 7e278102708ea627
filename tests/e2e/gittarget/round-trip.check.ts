import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import type { KubeClient, KubeObject } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateAgeKey } from '../../../packages/git/src/sops/age-key.ts'
import type { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { ensureGoTools, type GoTools } from '../../support/git/go-tools.ts'
import { ClusterWatchRuleKind, type Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { clusterSamples } from '../../support/samples/cluster-samples.ts'
import { customSamples, definitionSamples } from '../../support/samples/custom-samples.ts'
import type { Sample } from '../../support/samples/sample.ts'
import { workloadSamples } from '../../support/samples/workload-samples.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { connect, connectionTo } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { trickyObjects } from './tricky-objects.ts'

const run = promisify(execFile)

/** Excludes objects that are specific to one cluster, terminating, or whose owner does not exist. */
function isMirrored({ path, deleted, body }: Sample): boolean {
  return (
    deleted !== true &&
    !/\/(?:events|apiservices)$/.test(path) &&
    !('ownerReferences' in body.metadata)
  )
}

const definitions = definitionSamples.filter(isMirrored)
const samples = [...workloadSamples, ...clusterSamples, ...customSamples, ...trickyObjects].filter(
  isMirrored,
)

let bed: TestBed
let team: Team
let remote: BareRemote
let empty: EmbeddedServer
let other: KubeClient
let tools: GoTools
let scratch: string
let identity: string

beforeAll(async () => {
  tools = await ensureGoTools(env)
  scratch = await mkdtemp(join(tmpdir(), 'agents-round-trip-'))
  bed = await TestBed.start()
  const key = await generateAgeKey()
  identity = key.identity
  await createSamples(bed.client)
  await bed.startOperator()
  remote = await bed.remote()
  const encryption = { provider: 'sops', recipients: [key.recipient] }
  const target = { path: '.', allowClusterRules: true, encryption } as never
  team = await bed.team('mirrors', remote, { target: false })
  await watchEverything()
  await team.createTarget(target)
  await team.isReady()
  empty = await startEmbeddedServer()
  other = connect(connectionTo(empty.url, empty.caPem, empty.adminToken))
})

afterAll(async () => {
  other?.close()
  await empty?.stop()
  await bed?.stop()
  await rm(scratch, { recursive: true, force: true })
})

async function createSamples(client: KubeClient): Promise<void> {
  for (const { path, body } of definitions) await client.request({ method: 'POST', path, body })
  const refused: string[] = []
  for (const { path, body, status } of samples) {
    const create = (): Promise<unknown> => client.request({ method: 'POST', path, body })
    await until(() =>
      create().then(
        () => true,
        (error: Error) => {
          if (/could not find|404/.test(error.message)) return false
          refused.push(`${path} ${body.metadata.name}: ${error.message}`)
          return true
        },
      ),
    )
    if (status === undefined) continue
    const contentType = 'application/merge-patch+json'
    const one = `${path}/${body.metadata.name}/status`
    await client.request({ method: 'PATCH', path: one, body: { status }, contentType })
  }
  expect(refused).toEqual([])
}

async function watchEverything(): Promise<void> {
  const excludeNames = ['mirrors', 'kube-*']
  const noise = [
    ...['pods', 'endpoints', 'endpointslices', 'leases', 'controllerrevisions'],
    'csistoragecapacities',
  ]
  const home = { matchLabels: { 'kubernetes.io/metadata.name': 'default' } }
  await bed.client.create(ClusterWatchRuleKind, {
    metadata: { name: 'all' },
    spec: {
      targetRef: { namespace: 'mirrors', name: 'mirror' },
      rules: [
        {
          scope: 'Cluster',
          apiGroups: ['*'],
          resources: ['*', 'csinodes', 'ipaddresses', 'volumeattachments'],
          excludeNames,
        },
        {
          scope: 'Namespaced',
          apiGroups: ['*'],
          resources: ['*', ...noise],
          namespaceSelector: home,
          excludeNames,
        },
      ],
    },
  } as never)
}

/** Checks out the branch as a user would, decrypted with the real sops. */
async function checkOut(): Promise<string[]> {
  const files = await remote.files('main')
  const written: string[] = []
  for (const [path, text] of Object.entries(files)) {
    if (!path.endsWith('.yaml') || path.endsWith('.sops.yaml')) continue
    const file = join(scratch, 'files', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text.endsWith('\n') ? text : `${text}\n`)
    if (path.includes('/secrets/')) await writeFile(file, await decrypt(file))
    written.push(file)
  }
  return written
}

async function decrypt(file: string): Promise<string> {
  const args = ['--decrypt', '--output-type', 'json', file]
  const { stdout } = await run(tools.sops, args, {
    env: { PATH: '', HOME: scratch, SOPS_AGE_KEY: identity },
  })
  return stdout
}

async function kubectl(command: readonly string[], files: readonly string[]): Promise<void> {
  const { code, stderr } = await runTool(
    ['kubectl', '1.36'],
    [...command, '--validate=strict', ...files.flatMap((file) => ['-f', file])],
    { kubeconfig: empty.kubeconfigPath, timeoutMs: 120_000 },
  )
  expect(stderr.split('\n').filter((line) => line !== '' && !/^Warning/.test(line))).toEqual([])
  expect(code).toBe(0)
}

describe('the mirrored objects', () => {
  let files: string[]

  test('are complete, each object in its own file', async () => {
    files = await checkOut()
    const missing = [...definitions, ...samples].filter(
      ({ path, body }) => !files.some((file) => file.endsWith(placeOf(path, body.metadata.name))),
    )
    expect(missing.map(({ path, body }) => `${path}/${body.metadata.name}`)).toEqual([])
  })

  test('include at least one of every built-in kind', async () => {
    const served = await bed.client.discovery.resources()
    const kinds = served.filter(
      ({ verbs, group, resource }) =>
        verbs.includes('watch') &&
        !/\.test$|proompteng/.test(group) &&
        !['events', 'apiservices', 'certificatesigningrequests'].includes(resource),
    )
    const missing = kinds.filter(
      ({ group, resource }) =>
        !files.some((file) => file.includes(`/${group || 'core'}/${resource}/`)),
    )
    expect(missing.map(({ group, resource }) => `${resource}.${group}`)).toEqual([])
    expect(kinds.length).toBeGreaterThan(40)
  })

  test('can be applied to an empty server with the real kubectl', async () => {
    const isFirst = (file: string): boolean =>
      /\/(?:namespaces|customresourcedefinitions|priorityclasses)\//.test(file)
    const isControl = (file: string): boolean => file.endsWith('/configmaps/control.yaml')
    const apply = ['apply', '--server-side']
    await kubectl(apply, files.filter(isFirst))
    await untilServed(other)
    await kubectl(
      apply,
      files.filter((file) => !isFirst(file) && !isControl(file)),
    )
    await kubectl(['create'], files.filter(isControl))
  })

  test.each([...definitions, ...samples].map(({ path, body }) => `${path}/${body.metadata.name}`))(
    '%s is equal there',
    async (path) => {
      const mine = await read(bed.client, path)
      const theirs = await read(other, path)
      expect(withoutAllocated(theirs)).toEqual(withoutAllocated(mine))
    },
  )

  test('are unchanged when the operator restarts', async () => {
    const before = await remote.tip('main')
    await bed.stopOperator()
    await bed.startOperator()
    await team.isReady()
    await until(
      () => bed.operator.components.mirrors.state('mirrors/mirror')?.snapshot.kind === 'completed',
    )
    expect(await remote.tip('main')).toBe(before)
  })
})

async function untilServed(client: KubeClient): Promise<void> {
  for (const { path } of customSamples) {
    await until(() =>
      client.request({ path }).then(
        () => true,
        () => false,
      ),
    )
  }
}

async function read(client: KubeClient, path: string): Promise<KubeObject> {
  return JSON.parse((await client.request({ path })).bytes.toString('utf8'))
}

/** Removes what any two servers assign differently to equal objects, and nothing else. Independent of the sanitizer. */
function withoutAllocated(object: KubeObject): unknown {
  const text = JSON.parse(JSON.stringify(object))
  delete text.status
  const { name, namespace, labels, annotations } = text.metadata
  text.metadata = { name, namespace, labels, annotations }
  if (text.kind === 'Service' && text.spec.clusterIP !== 'None') {
    delete text.spec.clusterIP
    delete text.spec.clusterIPs
    delete text.spec.healthCheckNodePort
  }
  if (text.kind === 'Job' && text.spec.manualSelector !== true) {
    delete text.spec.selector
    for (const name of Object.keys(text.spec.template.metadata.labels)) {
      if (/controller-uid$/.test(name)) delete text.spec.template.metadata.labels[name]
    }
  }
  if (text.kind === 'Pod') {
    text.spec = JSON.parse(JSON.stringify(text.spec).replace(/kube-api-access-\w{5}/g, 'access'))
  }
  return text
}

/** The end of the file's path: group, resource and name. */
function placeOf(path: string, name: string): string {
  const parts = path.split('/')
  const group = parts[1] === 'api' ? 'core' : parts[2]
  return `/${group}/${parts.at(-1)}/${name}.yaml`
}
