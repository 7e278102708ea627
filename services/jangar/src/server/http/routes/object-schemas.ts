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

export const referrersSchema: JsonSchema = {
  type: 'object',
  required: ['kinds'],
  properties: {
    kinds: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'access', 'count', 'isComplete', 'items'],
        properties: {
          kind: { ...text, description: '`agentruns.agents.proompteng.ai`' },
          access: { ...text, enum: ['listed', 'denied'] },
          count: { type: 'integer', description: 'How many were found.' },
          isComplete: {
            type: 'boolean',
            description: 'Whether all objects of the kind were examined.',
          },
          items: {
            type: 'array',
            description: 'The newest 100.',
            items: {
              type: 'object',
              required: ['name', 'uid', 'fields'],
              properties: {
                namespace: { ...text, description: 'Absent for objects of the cluster.' },
                name: text,
                uid: text,
                createdAt: time,
                phase: text,
                fields: { type: 'array', items: text, description: 'By which it refers to it.' },
              },
            },
          },
        },
      },
    },
  },
}
