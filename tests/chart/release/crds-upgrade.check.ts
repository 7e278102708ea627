import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart, find, render } from '../../support/chart/render.ts'
import { annotationsOf, containersOf, variablesOf } from '../../support/chart/workload.ts'
import { compileCacheVariable } from '../../support/testbed/compile-cache.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const timeout = 120_000
const root = join(import.meta.dirname, '../../..')
const definitions = globSync(join(chart, 'crds', '*.yaml')).map(
  (path): RenderedObject => parse(readFileSync(path, 'utf8')),
)
const names = definitions.map(({ metadata }) => metadata.name).sort()

let objects: readonly RenderedObject[]
let hooks: readonly RenderedObject[]
let server: EmbeddedServer
let folder: string

beforeAll(async () => {
  const [rendered, started, made] = await Promise.all([
    render({ crds: { upgradeJob: { enabled: true } } }),
    startEmbeddedServer(),
    mkdtemp(join(tmpdir(), 'agents-crds-')),
  ])
  objects = rendered.objects
  hooks = objects.filter((object) => annotationsOf(object)['helm.sh/hook'] !== undefined)
  server = started
  folder = made
  await kubectl(['create', 'namespace', 'agents'])
  const rights = hooks.filter(({ kind }) => kind !== 'Job').map((object) => JSON.stringify(object))
  await kubectl(['create', '--filename', '-'], rights.join('\n---\n'))
}, timeout)

afterAll(async () => {
  await server?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function kubectl(args: readonly string[], stdin = ''): Promise<string> {
  const options = { kubeconfig: server.kubeconfigPath, stdin }
  const { code, stdout, stderr } = await runTool(['kubectl', '1.36'], args, options)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** Runs the Job's command with its variables and the permissions of its ServiceAccount. */
async function runJob(): Promise<readonly [code: number | null, output: string]> {
  const job = find(objects, 'Job', 'agents-crds')
  const account = String(at(job, 'spec', 'template', 'spec', 'serviceAccountName'))
  const token = (await kubectl(['create', 'token', account, '--namespace', 'agents'])).trim()
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigText({ url: server.url, caPem: server.caPem, token }))
  const [, ...args] = at(containersOf(job)[0], 'command') as readonly string[]
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...compileCacheVariable(),
      ...variablesOf(job),
      HOME: folder,
      TMPDIR: folder,
      KUBECONFIG: kubeconfig,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve([code, output])))
}

async function installed(): Promise<readonly RenderedObject[]> {
  return listAt(JSON.parse(await kubectl(['get', 'crds', '--output', 'json'])), 'items') as never
}

describe('the Job before an upgrade', () => {
  test('is created with everything that it needs, before all other objects, and deleted afterwards', () => {
    expect(hooks.map(({ kind }) => kind).sort()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'Job',
      'ServiceAccount',
    ])
    for (const hook of hooks) {
      expect(annotationsOf(hook)).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
        ...(hook.kind !== 'Job' && { 'helm.sh/hook-weight': '-10' }),
      })
    }
  })

  test('may read and apply the definitions of the chart, and nothing else', () => {
    const rules = listAt(find(objects, 'ClusterRole', 'agents-agents-crds'), 'rules')
    expect(rules).toHaveLength(1)
    expect(rules[0]).toMatchObject({
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get', 'create', 'patch'],
    })
    expect(listAt(rules[0], 'resourceNames').toSorted()).toEqual(names)
  })

  test('creates every definition with those permissions, and changes nothing when it is repeated', {
    timeout,
  }, async () => {
    const [code, output] = await runJob()
    expect([code, output]).toEqual([0, expect.stringContaining('definition created')])
    const first = await installed()
    expect(first.map(({ metadata }) => metadata.name).sort()).toEqual(names)
    const [again] = await runJob()
    expect(again).toBe(0)
    const generations = (all: readonly RenderedObject[]) =>
      all.map(({ metadata }) => at(metadata, 'generation'))
    expect(generations(await installed())).toEqual(generations(first))
  })

  test('reports why it does not take over definitions managed by Argo CD', {
    timeout,
  }, async () => {
    const [own] = definitions
    const name = own?.metadata.name ?? ''
    const other = structuredClone(own)
    const [version] = listAt(other, 'spec', 'versions') as { additionalPrinterColumns?: unknown }[]
    delete version?.additionalPrinterColumns
    const args = ['apply', '--server-side', '--force-conflicts', '--filename', '-']
    await kubectl([...args, '--field-manager', 'argocd-controller'], JSON.stringify(other))
    const [code, output] = await runJob()
    expect(code).toBe(1)
    expect(output).toContain(`- ${name}: `)
    expect(output).toContain('argocd-controller')
    expect(output).toContain('crds.upgradeJob.enabled')
  })
})
