import type { JsonSchema } from '../schema.ts'

const text = { type: 'string' } as const
const time = { type: 'string', format: 'date-time' } as const

const runSummarySchema: JsonSchema = {
  type: 'object',
  required: ['kind', 'namespace', 'name', 'uid', 'createdAt'],
  properties: {
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    phase: { ...text, description: 'Absent until a controller has seen the run.' },
    of: { ...text, description: 'The Agent, Orchestration or Tool that runs.' },
    reason: { ...text, description: 'The reason of the condition `Succeeded`.' },
    message: { ...text, description: 'The message of the condition `Succeeded`.' },
    createdAt: time,
    startedAt: time,
    finishedAt: time,
    labels: { type: 'object', additionalProperties: text },
  },
}

export const runPageSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', items: runSummarySchema },
    next: { ...text, description: 'The cursor of the next page. Absent on the last page.' },
  },
}

export const runSchema: JsonSchema = {
  type: 'object',
  required: ['run', 'resource'],
  properties: {
    run: runSummarySchema,
    resource: { type: 'object', description: 'The object in the cluster.' },
  },
}
