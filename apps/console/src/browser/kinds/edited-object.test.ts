import { expect, test } from 'vitest'
import { editableYaml, editedObject } from './edited-object.ts'

const object = {
  apiVersion: 'agents.proompteng.ai/v1alpha1',
  kind: 'Agent',
  metadata: {
    ...{ name: 'writer', namespace: 'agents', uid: 'u', resourceVersion: '7', generation: 2 },
    labels: { team: 'core' },
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: { providerRef: { name: 'codex' } },
  status: { phase: 'Ready' },
}

test('what is edited has neither a status nor what the server keeps', () => {
  const text = editableYaml(object)
  expect(text).toContain('team: core')
  for (const word of ['status', 'managedFields', 'resourceVersion', 'uid']) {
    expect(text).not.toContain(word)
  }
})

test('an edit keeps the version, and removes what was removed', () => {
  const text = editableYaml(object).replace(/ {2}labels:\n {4}team: core\n/, '')
  expect(text).not.toContain('team')
  const edited = editedObject(text.replace('codex', 'claude'), object)
  expect(edited).toMatchObject({ metadata: { resourceVersion: '7' }, status: { phase: 'Ready' } })
  expect(edited?.spec).toEqual({ providerRef: { name: 'claude' } })
  expect(edited?.metadata.labels).toBeUndefined()
})

test.each(['', '[]', 'a: [', '7'])('%j is not an object', (text) => {
  expect(editedObject(text, object)).toBeUndefined()
})
