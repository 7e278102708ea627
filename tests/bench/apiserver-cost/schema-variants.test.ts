import { checkCustomResourceDefinition } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { schemaVariants } from './schema-variants.ts'

const [shipped, withoutRules, atomicItems, atomicConditions, loose] = schemaVariants.map(
  ({ definition }) => JSON.stringify(definition.spec.versions.map(({ schema }) => schema)),
)

describe('the variants of the schema', () => {
  test.each(schemaVariants)('$name is a valid definition', ({ definition }) => {
    expect(checkCustomResourceDefinition(definition as never)).toEqual([])
  })

  test('differ from the shipped schema in what their names say', () => {
    expect(shipped).toContain('x-kubernetes-validations')
    expect(shipped).toContain('"x-kubernetes-list-map-keys":["type"]')
    expect(withoutRules).not.toContain('x-kubernetes-validations')
    expect(withoutRules).toContain('"x-kubernetes-list-map-keys":["type"]')
    const atomicItem = '"x-kubernetes-map-type":"atomic"},"x-kubernetes-list-type":"map"'
    expect(shipped).not.toContain(atomicItem)
    expect(atomicItems).toContain(atomicItem)
    expect(atomicConditions).toContain('x-kubernetes-validations')
    expect(atomicConditions).not.toContain('"x-kubernetes-list-map-keys":["type"]')
    expect(loose).not.toContain('agentRef')
  })
})
