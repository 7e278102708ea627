import type { JsonSchema } from '../schema.ts'

const text = { type: 'string' } as const

export const objectSchema: JsonSchema = {
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: 'object',
      required: ['name'],
      properties: { name: { ...text, maxLength: 253 }, namespace: text },
    },
  },
}

export const objectPageSchema: JsonSchema = {
  type: 'object',
  required: ['metadata', 'items'],
  properties: {
    metadata: {
      type: 'object',
      properties: { continue: { ...text, description: 'Absent on the last page.' } },
    },
    items: { type: 'array', items: { type: 'object' } },
  },
}

export const kindPageSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'kind', 'group', 'version', 'plural'],
        properties: { name: text, kind: text, group: text, version: text, plural: text },
      },
    },
  },
}

const time = { ...text, format: 'date-time' } as const

export const eventPageSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['uid', 'type', 'reason', 'message', 'count', 'lastAt'],
        properties: {
          uid: text,
          type: { ...text, description: '`Normal` or `Warning`.' },
          reason: text,
          message: text,
          count: { type: 'integer', description: 'How often it happened.' },
          firstAt: time,
          lastAt: time,
          from: { ...text, description: 'The component that reported it.' },
        },
      },
    },
  },
}
