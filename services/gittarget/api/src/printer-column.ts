import type { PrinterColumn } from '@agents/crd'

function ofReady(field: 'status' | 'reason' | 'message'): Pick<PrinterColumn, 'type' | 'jsonPath'> {
  return { type: 'string', jsonPath: `.status.conditions[?(@.type=="Ready")].${field}` }
}

export const ready: PrinterColumn = {
  name: 'Ready',
  ...ofReady('status'),
  description: 'Whether all conditions are True.',
}

export const reason: PrinterColumn = {
  name: 'Reason',
  ...ofReady('reason'),
  description: 'Reason of the Ready condition.',
}

/** Long, so it is shown with `-o wide` only. */
export const message: PrinterColumn = {
  name: 'Message',
  ...ofReady('message'),
  description: 'Message of the Ready condition: why, and what to do.',
  priority: 1,
}
