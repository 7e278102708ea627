import type { PrinterColumn } from '@agents/crd'

/** What a condition says, as columns of `kubectl get`. */
function conditionField(
  type: string,
  field: 'status' | 'reason' | 'message',
): Pick<PrinterColumn, 'type' | 'jsonPath'> {
  return { type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].${field}` }
}

export const ready: PrinterColumn = {
  name: 'Ready',
  ...conditionField('Ready', 'status'),
  description: 'Whether it can be used.',
}

export const readyReason: PrinterColumn = {
  name: 'Reason',
  ...conditionField('Ready', 'reason'),
  description: 'Why it is ready or not, in one word.',
}

export const readyMessage: PrinterColumn = {
  name: 'Message',
  ...conditionField('Ready', 'message'),
  description: 'Why it is ready or not, and what to do about it.',
  priority: 1,
}

export const succeeded: PrinterColumn = {
  name: 'Succeeded',
  ...conditionField('Succeeded', 'status'),
  description: 'How it ended; Unknown until it has.',
}

export const succeededReason: PrinterColumn = {
  name: 'Reason',
  ...conditionField('Succeeded', 'reason'),
  description: 'What it waits for, or why it ended as it did, in one word.',
}

export const succeededMessage: PrinterColumn = {
  name: 'Message',
  ...conditionField('Succeeded', 'message'),
  description: 'What it waits for, or why it ended as it did.',
  priority: 1,
}

export const phase: PrinterColumn = {
  name: 'Phase',
  type: 'string',
  jsonPath: '.status.phase',
  description: 'Where it stands, for people; automation reads the conditions.',
}

export const startTime: PrinterColumn = {
  name: 'StartTime',
  type: 'date',
  jsonPath: '.status.startedAt',
  description: 'When its work began.',
}

export const completionTime: PrinterColumn = {
  name: 'CompletionTime',
  type: 'date',
  jsonPath: '.status.finishedAt',
  description: 'When it ended, however it ended.',
}
