import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { stateDirExtension, stateDirOfKubeconfigs } from './kubeconfig-extension.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-kubeconfig-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function config(name: string, current: string | undefined, extensions?: unknown): string {
  return stringify({
    ...(current !== undefined && { 'current-context': current }),
    contexts: [{ name, context: { cluster: name } }],
    clusters: [{ name, cluster: { server: 'https://x', extensions } }],
  })
}

const ours = [{ name: 'minikube', extension: {} }, stateDirExtension('/state')]

test.each([
  { because: 'the only file', files: [config('a', 'a', ours)], stateDir: '/state' },
  {
    because: 'the cluster of the current context is in a later file',
    files: [config('b', 'a'), config('a', 'b', ours)],
    stateDir: '/state',
  },
  {
    because: 'another context is current',
    files: [config('b', 'b'), config('a', 'a', ours)],
    stateDir: undefined,
  },
  { because: 'a cluster without extensions', files: [config('a', 'a')], stateDir: undefined },
  {
    because: 'an extension of another shape',
    files: [config('a', 'a', [null, { name: 'agents.proompteng.ai/local-platform' }])],
    stateDir: undefined,
  },
  { because: 'no map', files: ['7'], stateDir: undefined },
  { because: 'no YAML', files: ['{', config('a', 'a', ours)], stateDir: '/state' },
])('$because: $stateDir', async ({ files, stateDir }) => {
  const paths = files.map((_, index) => join(folder, `${index}`))
  await Promise.all(files.map((text, index) => writeFile(paths[index] ?? '', text)))
  expect(await stateDirOfKubeconfigs([join(folder, 'missing'), ...paths])).toBe(stateDir)
})
