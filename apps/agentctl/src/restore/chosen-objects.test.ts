import type { RestoredKind, StoredObject } from '@agents/gittarget'
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

function labels(...words: string[]) {
  const { objects, unusable } = chosenObjects(words, all, kinds)
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
])('$word', ({ word, expected }) => expect(labels(word)).toEqual(expected))

test('without a name all objects are chosen, and each of several names once', () => {
  expect(labels()).toHaveLength(7)
  expect(labels('deploy/web', 'run/web', 'deployment/web')).toHaveLength(2)
})

test.each([
  { word: 'web', message: 'does not name an object' },
  { word: 'a/b/c/d', message: 'does not name an object' },
  { word: 'configmap/', message: 'does not name an object' },
  { word: 'configmap/twice', message: 'configmap/twice is ambiguous' },
  { word: 'deployment.example.com/web', message: 'Git has no deployment.example.com/web' },
])('$word is refused', ({ word, message }) => expect(() => labels(word)).toThrow(message))

test.each(['configmap/wbe', 'team/configmap/wbe'])('%s is recognised as misspelled', (word) => {
  expect(() => labels(word)).toThrow(
    expect.objectContaining({
      advice: expect.arrayContaining([`Did you mean ${word.replace('wbe', 'web')}?`]),
    }),
  )
})
