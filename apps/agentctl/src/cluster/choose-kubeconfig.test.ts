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
    because: 'it is named',
    named: 'a',
    environment: { KUBECONFIG: '/b' },
    home: 'person',
    paths: ['a'],
  },
  {
    because: 'the environment names it',
    environment: { ...inPod, KUBECONFIG: '/b' },
    home: 'person',
    paths: ['/b'],
  },
  { because: 'it is the person’s', home: 'person', paths: ['person/.kube/config'] },
  {
    because: 'a person may be in a pod',
    environment: inPod,
    home: 'person',
    paths: ['person/.kube/config'],
  },
  { because: 'a pod has only its account', environment: inPod, home: 'nobody', paths: [] },
  { because: 'then it says what it looked for', home: 'nobody', paths: ['nobody/.kube/config'] },
])('takes $paths, because $because', async ({ named, environment = {}, home, paths }) => {
  const world = {
    environment,
    workingDirectory: folder,
    home: join(folder, home),
    checkout: join(folder, 'checkout'),
  }
  const values = { kubeconfig: named, 'state-dir': undefined }
  const chosen = await chooseKubeconfig(values, world)
  expect(chosen.paths).toEqual(
    paths.map((path) => (path.startsWith('/') ? path : join(folder, path))),
  )
})
