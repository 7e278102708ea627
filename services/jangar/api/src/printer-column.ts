import type { PrinterColumn } from '@agents/crd'

/** A field of a condition as a column of `kubectl get`. */
function conditionField(
  type: string,
  field: 'status' | 'reason' | 'message',
): Pick<PrinterColumn, 'type' | 'jsonPath'> {
  return { type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].${field}` }
}

export const ready: PrinterColumn = {
  name: 'Ready',
  ...conditionField('Ready', 'status'),
  description: 'Whether the object is ready.',
}

export const readyReason: PrinterColumn = {
  name: 'Reason',
  ...conditionField('Ready', 'reason'),
  description: 'Reason of the Ready condition.',
}

export const readyMessage: PrinterColumn = {
  name: 'Message',
  ...conditionField('Ready', 'message'),
  description: 'Message of the Ready condition.',
  priority: 1,
}

export const succeeded: PrinterColumn = {
  name: 'Succeeded',
  ...conditionField('Succeeded', 'status'),
  description: 'Whether the run succeeded; Unknown until it finishes.',
}

export const succeededReason: PrinterColumn = {
  name: 'Reason',
  ...conditionField('Succeeded', 'reason'),
  description: 'Reason of the Succeeded condition.',
}

export const succeededMessage: PrinterColumn = {
  name: 'Message',
  ...conditionField('Succeeded', 'message'),
  description: 'Message of the Succeeded condition.',
  priority: 1,
}

export const phase: PrinterColumn = {
  name: 'Phase',
  type: 'string',
  jsonPath: '.status.phase',
  description: 'Summary of the conditions for display.',
}

export const startTime: PrinterColumn = {
  name: 'StartTime',
  type: 'date',
  jsonPath: '.status.startedAt',
  description: 'When the run started.',
}

export const completionTime: PrinterColumn = {
  name: 'CompletionTime',
  type: 'date',
  jsonPath: '.status.finishedAt',
  description: 'When the run finished.',
}

export const nextRetry: PrinterColumn = {
  name: 'NextRetry',
  type: 'string',
  jsonPath: '.status.nextRetryAt',
  description: 'When the next attempt starts.',
  priority: 1,
}

export const queuePosition: PrinterColumn = {
  name: 'Queue',
  type: 'integer',
  jsonPath: '.status.queue.position',
  description: 'Position in the queue.',
  priority: 1,
}
