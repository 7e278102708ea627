import type { ObjectPlace, RestoredKind, StoredObject } from '@agents/gittarget'
import { expect, test } from 'vitest'
import { chosenObjects, labelOf } from './chosen-objects.ts'

function stored(apiVersion: string, kind: string, namespace: string, name: string): StoredObject {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''
  return {
    identity: { group, kind, namespace, name },
    ...{ path: `${name}.yaml`, value: { apiVersion }, encrypted: undefined, impliedNamespaces: [] },
  }
}

const all = {
  commit: '0123456789abcdef',
  objects: [
    stored('v1', 'ConfigMap', 'team', 'web'),
    stored('apps/v1', 'Deployment', 'team', 'web'),
    stored('agents.proompteng.ai/v1alpha1', 'AgentRun', 'team', 'web'),
    stored('v1', 'ConfigMap', 'team', 'twice'),
    stored('v1', 'ConfigMap', 'other', 'twice'),
  ],
  unusable: [
    {
      ...{ path: 'broken.yaml', reason: 'broken' },
      identity: { group: '', kind: 'Secret', namespace: 'team', name: 'broken' },
    },
    { path: 'link.yaml', identity: undefined, reason: 'is a link' },
  ],
}
const kinds: RestoredKind[] = [
  {
    ...{ group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment' },
    ...{ namespaced: true, names: ['deploy'], isServed: true },
  },
]

/** `last` is the answer to where a deleted Deployment was found last. */
async function labels(words: string[], last?: string) {
  const lastRevisionOf = async (places: readonly ObjectPlace[]) =>
    places.some(({ group, resource }) => `${resource}.${group}` === 'deployments.apps')
      ? last
      : undefined
  const { objects, unusable } = await chosenObjects(words, all, kinds, lastRevisionOf)
  return [...objects.map(({ identity }) => labelOf(identity)), ...unusable.map(({ path }) => path)]
}

test.each([
  { word: 'ConfigMap/web', expected: ['team/configmap/web'] },
  { word: 'deploy/web', expected: ['team/deployment.apps/web'] },
  { word: 'deployments.apps/web', expected: ['team/deployment.apps/web'] },
  { word: 'deployment.apps/web', expected: ['team/deployment.apps/web'] },
  { word: 'run/web', expected: ['team/agentrun.agents.proompteng.ai/web'] },
  { word: 'other/configmap/twice', expected: ['other/configmap/twice'] },
  { word: 'secret/broken', expected: ['broken.yaml'] },
])('$word', async ({ word, expected }) => expect(await labels([word])).toEqual(expected))

test('without a name all objects are chosen, and each of several names once', async () => {
  expect(await labels([])).toHaveLength(7)
  expect(await labels(['deploy/web', 'run/web', 'deployment/web'])).toHaveLength(2)
})

test.each([
  { word: 'web', message: 'does not name an object' },
  { word: 'a/b/c/d', message: 'does not name an object' },
  { word: 'configmap/', message: 'does not name an object' },
  { word: 'configmap/twice', message: 'configmap/twice is ambiguous' },
  { word: 'deployment.example.com/web', message: 'Git has no deployment.example.com/web' },
])('$word is refused', async ({ word, message }) => {
  await expect(labels([word])).rejects.toThrow(message)
})

test.each(['configmap/wbe', 'team/configmap/wbe'])(
  '%s is recognised as misspelled',
  async (word) => {
    await expect(labels([word])).rejects.toMatchObject({
      advice: expect.arrayContaining([`Did you mean ${word.replace('wbe', 'web')}?`]),
    })
  },
)

test('of a deleted object the last commit is named', async () => {
  const last = 'fedcba9876543210'
  await expect(labels(['deploy/api'], last)).rejects.toMatchObject({
    message: 'Git has no deploy/api at commit 0123456789ab',
    advice: ['Its file was deleted. The last commit that has it: --revision fedcba987654'],
  })
  await expect(labels(['configmap/api'], last)).rejects.toMatchObject({
    advice: [expect.stringContaining('older commits have them')],
  })
})
