import { runKinds } from '../../api/run-summary.ts'
import { pathParameters } from '../path-pattern.ts'
import type { JsonSchema } from '../schema.ts'

/** The kind of a run that is named by its path. */
export const anyKind = {
  type: 'string',
  enum: runKinds.map((each) => each.kind),
  description: 'If omitted, the first kind in which the caller finds the name.',
} as const

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
    archived: { const: true, description: 'Present if the run comes from the archive.' },
  },
}

export const runPageSchema: JsonSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: { type: 'array', items: runSummarySchema },
    next: { ...text, description: 'The cursor of the next page. Absent on the last page.' },
    archive: {
      const: 'unavailable',
      description: 'Present if the archive does not answer: archived runs are missing.',
    },
  },
}

export const runSchema: JsonSchema = {
  type: 'object',
  required: ['run', 'resource'],
  properties: {
    run: runSummarySchema,
    resource: { type: 'object', description: 'The object in the cluster or in the archive.' },
  },
}

export const waitSchema: JsonSchema = {
  type: 'object',
  required: ['finished', 'run', 'resource'],
  properties: {
    finished: { type: 'boolean' },
    run: runSummarySchema,
    resource: { type: 'object', description: 'The object in the cluster.' },
  },
}

const textMap = {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 65_536 },
} as const

export const requestSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['namespace', 'spec'],
  properties: {
    kind: { type: 'string', enum: anyKind.enum, description: 'If omitted, AgentRun.' },
    namespace: pathParameters.namespace,
    name: { ...pathParameters.name, description: 'If omitted, one is chosen.' },
    labels: textMap,
    annotations: textMap,
    spec: { type: 'object', description: 'The spec of the run, as in its kind.' },
  },
}

export const repeatSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    steps: {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 253 },
      description: 'Steps of an OrchestrationRun that run again in any case.',
    },
  },
}
