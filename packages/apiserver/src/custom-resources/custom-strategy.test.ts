import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { RequestContext } from '../request/request-context.ts'
import { customStatusStrategy, customStrategy } from './custom-strategy.ts'
import { schemaDefinitionRules } from './schema-rules.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
    status: {
      type: 'object',
      default: { seen: -1 },
      properties: { seen: { type: 'integer' }, phase: { type: 'string' } },
    },
  },
}
const kind = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Widget',
  hasStatus: true,
  scale: undefined,
}
const compiled = schemaDefinitionRules.compile(schema)
const main = customStrategy(kind, compiled)
const status = customStatusStrategy(kind, compiled)
const context = {} as RequestContext

function widget(rest: object): KubeObject {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name: 'w', generation: 1 },
    ...rest,
  }
}

describe('the status of a custom resource', () => {
  test('of a new object is the default of the schema, not what the client sent', () => {
    const object = widget({ spec: {}, status: { seen: 7, phase: 'Done' } })
    main.prepareForCreate(object, context)
    expect(object.status).toEqual({ seen: -1 })
  })

  test('is not changed by a write to the main resource', () => {
    const next = widget({ spec: { size: 2 }, status: { seen: 7 } })
    main.prepareForUpdate(next, widget({ spec: { size: 1 }, status: { seen: 1 } }), context)
    expect(next).toMatchObject({
      spec: { size: 2 },
      status: { seen: 1 },
      metadata: { generation: 2 },
    })
  })

  test('is the only thing that a write through /status changes', () => {
    const next = widget({ spec: { size: 2 }, status: { seen: 7 } })
    status.prepareForUpdate(next, widget({ spec: { size: 1 }, status: { seen: 1 } }), context)
    expect(next).toMatchObject({
      spec: { size: 1 },
      status: { seen: 7 },
      metadata: { generation: 1 },
    })
  })

  test('is set to its default when it is removed', () => {
    const next = widget({ spec: { size: 1 } })
    status.prepareForUpdate(next, widget({ spec: { size: 1 }, status: { seen: 1 } }), context)
    expect(next.status).toEqual({ seen: -1 })
  })
})
