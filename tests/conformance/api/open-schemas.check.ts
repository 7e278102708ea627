import { beforeAll } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { conformance } from './suite.ts'
import { definitionOf, serve } from './widget.ts'

const open: Fields = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const schemas: Record<string, Fields> = {
  Open: open,
  OpenWithFields: {
    ...open,
    description: 'a',
    required: ['spec'],
    properties: { spec: { type: 'object' } },
  },
  OpenPart: {
    type: 'object',
    properties: { spec: open, free: { 'x-kubernetes-preserve-unknown-fields': true } },
  },
  Nullable: { type: 'object', properties: { spec: { type: 'object', nullable: true } } },
}

conformance('open-schemas', ({ client, group, same }) => {
  beforeAll(async () => {
    for (const [kind, schema] of Object.entries(schemas)) {
      await serve(client, definitionOf(group, { kind, plural: `${kind.toLowerCase()}s`, schema }))
    }
  })
  const base = group.split('.').reverse().join('.')
  for (const kind of Object.keys(schemas)) {
    same(`OpenAPI v2 of ${kind}`, 200, async () => {
      const find = async () => {
        const answer = await client.get('/openapi/v2')
        const { definitions } = answer.body as { definitions: Record<string, Fields> }
        return { answer, schema: definitions[`${base}.v1.${kind}`] }
      }
      await until(async () => (await find()).schema !== undefined)
      const { answer, schema } = await find()
      const properties = schema?.properties as Record<string, Fields> | undefined
      const { apiVersion: _, kind: __, metadata: ___, ...rest } = properties ?? {}
      return { ...answer, body: { ...schema, ...(properties && { properties: rest }) } }
    })
  }
})
