import { expect, test } from 'vitest'
import { readDefinition } from './read-definition.ts'

test('parses YAML', () => {
  const definition = readDefinition(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  versions: [{name: v1, served: true, storage: true}]
`)
  expect(definition.spec.versions).toEqual([{ name: 'v1', served: true, storage: true }])
})

test.each(['', 'kind: ConfigMap', 'kind: CustomResourceDefinition'])('rejects %j', (text) => {
  expect(() => readDefinition(text)).toThrow('no CustomResourceDefinition')
})
