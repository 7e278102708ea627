import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chooseKubeconfig } from './choose-kubeconfig.ts'

const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-kubeconfig-'))
  await mkdir(join(folder, 'person', '.kube'), { recursive: true })
  await writeFile(join(folder, 'person', '.kube', 'config'), '{}')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test.each<{
  because: string
  named?: string
  environment?: Readonly<Record<string, string>>
  home: 'person' | 'nobody'
  paths: readonly string[]
}>([
  {
    because: '--kubeconfig is set',
    named: 'a',
    environment: { KUBECONFIG: '/b' },
    home: 'person',
    paths: ['a'],
  },
  {
    because: 'KUBECONFIG is set',
    environment: { ...inPod, KUBECONFIG: '/b' },
    home: 'person',
    paths: ['/b'],
  },
  { because: 'the user has a kubeconfig', home: 'person', paths: ['person/.kube/config'] },
  {
    because: 'a user in a pod may have a kubeconfig',
    environment: inPod,
    home: 'person',
    paths: ['person/.kube/config'],
  },
  {
    because: 'a pod without a kubeconfig uses its ServiceAccount',
    environment: inPod,
    home: 'nobody',
    paths: [],
  },
  {
    because: 'the missing default is named in the error',
    home: 'nobody',
    paths: ['nobody/.kube/config'],
  },
])('chooses $paths: $because', async ({ named, environment = {}, home, paths }) => {
  const context = {
    environment,
    workingDirectory: folder,
    home: join(folder, home),
    defaultStateDir: join(folder, 'state'),
  }
  const values = { kubeconfig: named, 'state-dir': undefined }
  const chosen = await chooseKubeconfig(values, context)
  expect(chosen.paths).toEqual(
    paths.map((path) => (path.startsWith('/') ? path : join(folder, path))),
  )
})
